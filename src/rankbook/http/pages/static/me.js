// Who the viewer is, remembered in this browser only when they say so.

const KEY = "rankbook-player";

function kept() {
  try {
    return localStorage.getItem(KEY) || "";
  } catch {
    return "";
  }
}

function keep(player) {
  try {
    if (player) localStorage.setItem(KEY, player);
    else localStorage.removeItem(KEY);
  } catch {
    // Storage is forbidden: nobody is remembered.
  }
}

// Looks for the remembered player on a page that looks for nobody.
export function recall(live) {
  const player = kept();
  const here = new URL(location.href);
  if (!document.getElementById("remember")) return;
  if (!player || live.dataset.player || here.searchParams.has("player")) return;
  here.searchParams.set("player", player);
  location.replace(here);
}

// Offers to remember whom the page has found.
export function remember(live) {
  const label = document.getElementById("remember");
  const player = live.dataset.player;
  if (!label || !player) return;
  const box = label.querySelector("input");
  box.checked = kept() === player;
  label.hidden = false;
  box.addEventListener("change", () => keep(box.checked ? player : ""));
}
