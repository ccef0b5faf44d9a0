// A chart that is wider than the screen begins at its newest period.

for (const scroll of document.querySelectorAll("[data-to-end]")) scroll.scrollLeft = scroll.scrollWidth;
