// Counts down to the end of a period. Without JavaScript the page shows the end itself.

const DAY = 86400;

export function written(seconds) {
  const two = (number) => String(Math.floor(number)).padStart(2, "0");
  const clock = `${two((seconds % DAY) / 3600)}:${two((seconds % 3600) / 60)}:${two(seconds % 60)}`;
  const days = Math.floor(seconds / DAY);
  return days ? `in ${days} d ${clock}` : `in ${clock}`;
}

// Calls `ended` once when a period's end has come.
export function countDown(ended) {
  let told = "";
  const tick = () => {
    for (const time of document.querySelectorAll("time[data-countdown]")) {
      const left = (Date.parse(time.dateTime) - Date.now()) / 1000;
      if (!time.title) time.title = time.textContent;
      time.textContent = left > 0 ? written(left) : "now";
      if (left <= 0 && told !== time.dateTime) {
        told = time.dateTime;
        setTimeout(ended, 1500);
      }
    }
  };
  tick();
  setInterval(tick, 1000);
  return tick;
}
