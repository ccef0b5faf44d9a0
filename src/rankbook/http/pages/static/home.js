// The home page and the wall, as things happen: the server renders, this moves.

import { countDown } from "./clock.js";
import { fetched, follow } from "./live.js";
import { recall, remember } from "./me.js";

const MARKED_MS = 8000;
const SAID_MS = 10000;
const SLIDE_MS = 700;

const still = matchMedia("(prefers-reduced-motion: reduce)");
const marks = new Map();
const served = new Map(); // What the server said last of each part, before anything here changed it.
let tick = () => {};
let saidAt = 0;

function rows(root) {
  const found = new Map();
  for (const part of root.querySelectorAll("table.standings")) {
    const ranking = part.caption ? part.caption.textContent : "";
    for (const row of part.querySelectorAll("tr[data-player]")) {
      found.set(`${ranking}\n${row.dataset.player}`, row);
    }
  }
  return found;
}

function places(found) {
  const made = new Map();
  for (const [key, row] of found) {
    const { rank, score, event } = row.dataset;
    made.set(key, { top: row.getBoundingClientRect().top, rank: Number(rank), score, event });
  }
  return made;
}

function mark(row, up, until) {
  const made = document.createElement("span");
  made.ariaHidden = "true"; // The status says it in words.
  made.className = `moved ${up > 0 ? "up" : "down"}`;
  made.textContent = `${up > 0 ? "▲" : "▼"} ${Math.abs(up)}`;
  row.querySelector(".person").append(made);
  setTimeout(() => made.remove(), until - Date.now());
}

function slide(row, from) {
  const by = from - row.getBoundingClientRect().top;
  if (!by || still.matches) return;
  const easing = "cubic-bezier(0.2, 0.7, 0.2, 1)";
  row.animate([{ transform: `translateY(${by}px)` }, { transform: "none" }], { duration: SLIDE_MS, easing });
}

function say(text) {
  const place = document.getElementById("said");
  if (!place || !text || Date.now() - saidAt < SAID_MS) return;
  saidAt = Date.now();
  place.textContent = text;
}

function move(before) {
  const now = Date.now();
  const known = before.size > 0;
  const found = rows(document);
  let said = "";
  for (const [key, row] of found) {
    const was = before.get(key);
    const rank = Number(row.dataset.rank);
    if (was) slide(row, was.top);
    if (was && was.rank !== rank) marks.set(key, { up: was.rank - rank, until: now + MARKED_MS });
    const name = row.querySelector(".name").textContent;
    if (known && (!was || was.event !== row.dataset.event)) {
      row.classList.add("fresh");
      said ||= `${name} has ${row.dataset.score} and is at rank ${rank}.`;
    }
    const kept = marks.get(key);
    if (kept && kept.until > now && !row.querySelector(".moved")) mark(row, kept.up, kept.until);
  }
  for (const [key, kept] of marks) if (kept.until <= now) marks.delete(key);
  say(said);
}

// Puts what is new in the place of what was, without taking the focus from anybody.
function exchange(page) {
  const href = document.activeElement?.getAttribute?.("href");
  for (const part of page.querySelectorAll("[data-live]")) {
    const name = part.dataset.live;
    const here = document.querySelector(`[data-live="${name}"]`);
    if (!here || served.get(name) === part.innerHTML) continue;
    served.set(name, part.innerHTML);
    const focused = here.contains(document.activeElement);
    here.replaceChildren(...document.adoptNode(part).childNodes);
    if (focused && href) here.querySelector(`a[href="${CSS.escape(href)}"]`)?.focus();
  }
}

let running = false;
let again = false;

async function refresh() {
  if (running) { again = true; return; }
  running = true;
  const page = await fetched();
  if (page) {
    const before = places(rows(document));
    exchange(page);
    tick();
    move(before);
  }
  running = false;
  if (again) { again = false; refresh(); }
}

function state(word) {
  document.documentElement.dataset.live = word;
  const place = document.getElementById("live-state");
  if (!place) return;
  place.hidden = false;
  place.textContent = word === "live" ? "Live: this page moves by itself." : "Waiting for the service…";
}

for (const part of document.querySelectorAll("[data-live]")) served.set(part.dataset.live, part.innerHTML);
const live = document.getElementById("live");
recall(live);
remember(live);
tick = countDown(refresh);
follow(live.dataset.board, refresh, state);
