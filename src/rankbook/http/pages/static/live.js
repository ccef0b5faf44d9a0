// Follows a board: tells `changed` when something has, and `state` how the connection is.

const QUIET_MS = 700; // Changes that come closer together are told as one.
const POLL_MS = 15000; // How often to look where there is no stream.

export function base() {
  return document.documentElement.dataset.base;
}

export function follow(board, changed, state) {
  let due = 0;
  const soon = () => {
    if (!due) due = setTimeout(() => { due = 0; changed(); }, QUIET_MS);
  };
  const source = new EventSource(`${base()}/v1/boards/${encodeURIComponent(board)}/live`);
  let polling = 0;
  source.addEventListener("open", () => {
    clearInterval(polling);
    polling = 0;
    state("live");
    soon(); // What happened while there was no connection.
  });
  for (const name of ["changes", "reset"]) source.addEventListener(name, soon);
  source.addEventListener("error", () => {
    state("waiting");
    if (source.readyState === EventSource.CLOSED && !polling) polling = setInterval(soon, POLL_MS);
  });
  document.addEventListener("visibilitychange", () => { if (!document.hidden) soon(); });
  return () => source.close();
}

// The page as the server has it now; null when it is unchanged or cannot be had.
export async function fetched(address = location.href) {
  try {
    const answer = await fetch(address, { headers: { Accept: "text/html" }, cache: "no-cache" });
    if (!answer.ok) return null;
    return new DOMParser().parseFromString(await answer.text(), "text/html");
  } catch {
    return null; // The stream says when the service is back.
  }
}
