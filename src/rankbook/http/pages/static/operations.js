// While a job runs, the page looks how far it is.

import { fetched } from "./live.js";

const LOOK_MS = 1000;

async function look() {
  const here = document.getElementById("ops");
  const next = here.dataset.running ? (await fetched())?.getElementById("ops") : null;
  if (next && !here.contains(document.activeElement)) here.replaceWith(document.adoptNode(next));
  else if (next && !next.dataset.running) { location.reload(); return; }
  if (document.getElementById("ops").dataset.running) setTimeout(look, LOOK_MS);
}

for (const hint of document.querySelectorAll(".no-script")) hint.hidden = true;
setTimeout(look, LOOK_MS);
