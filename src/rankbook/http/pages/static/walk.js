// Walks through a submission with the arrow keys, without loading the page anew.

import { fetched } from "./live.js";

async function go(address, push = true) {
  const page = await fetched(address);
  const next = page?.getElementById("walk");
  const here = document.getElementById("walk");
  if (!next || !here) { location.href = address; return; }
  const step = document.activeElement?.closest?.(".steps, .diagram") ? focusedAs() : "";
  here.replaceWith(document.adoptNode(next));
  document.title = page.title;
  if (push) history.pushState(null, "", address);
  if (step) document.querySelector(step)?.focus();
}

// Where the focus goes on: the same button, or the step that is shown.
function focusedAs() {
  const rel = document.activeElement.rel;
  return rel ? `.steps a[rel="${rel}"], .steps [aria-current]` : ".steps [aria-current], .diagram .on";
}

document.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-step]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  event.preventDefault();
  go(link.href);
});

document.addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const rel = { ArrowRight: "next", ArrowLeft: "prev" }[event.key];
  const link = rel && document.querySelector(`.steps a[rel="${rel}"]`);
  if (!link) return;
  event.preventDefault();
  go(link.href);
});

addEventListener("popstate", () => go(location.href, false));
