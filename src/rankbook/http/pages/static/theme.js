// The chosen theme, before anything is painted; and the button that changes it.

const KEY = "rankbook-theme";
const THEMES = ["auto", "light", "dark"];

function chosen() {
  try {
    const kept = localStorage.getItem(KEY);
    return THEMES.includes(kept) ? kept : "auto";
  } catch {
    return "auto"; // Storage may be forbidden; the system's own choice then holds.
  }
}

function show(theme) {
  if (theme === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

function keep(theme) {
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // It holds for this page only.
  }
}

show(chosen());

document.addEventListener("DOMContentLoaded", () => {
  const button = document.getElementById("theme");
  if (!button) return;
  let theme = chosen();
  const label = () => { button.textContent = `Theme: ${theme}`; };
  label();
  button.hidden = false;
  button.addEventListener("click", () => {
    theme = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length];
    keep(theme);
    show(theme);
    label();
  });
});
