// Small helps for the keyboard. Pages read well without this file.

// Wide tables and formulas scroll inside their own box; a box that scrolls must be
// reachable with the keyboard, and one that does not should be no stop.
const boxes = ".pst-scrollable-table-container, .table-scroll, div.math mjx-container";

function markScrolling() {
  for (const box of document.querySelectorAll(boxes)) {
    if (box.scrollWidth > box.clientWidth) {
      box.tabIndex = 0;
      box.setAttribute("role", "group");
      const formula = box.matches("mjx-container");
      box.setAttribute("aria-label", formula ? "Wide formula" : "Wide table");
    } else {
      for (const name of ["tabindex", "role", "aria-label"]) box.removeAttribute(name);
    }
  }
}

// On a telephone no bar shows that a box scrolls: its right edge fades until the end of
// what is in it has been reached.
const fading = `${boxes}, .bd-article pre, .output.text_html, .av-picture, .av-table`;

function markFading() {
  for (const box of document.querySelectorAll(fading)) {
    const left = box.scrollWidth - box.clientWidth - box.scrollLeft;
    box.classList.toggle("goes-on", left > 2);
  }
}

document.addEventListener("scroll", markFading, { capture: true, passive: true });

// Formulas are set after the page has loaded, boxes unfold, windows change: whatever
// happens to the text changes the height or the width of the page.
let waiting;
const observer = new ResizeObserver(() => {
  clearTimeout(waiting);
  waiting = setTimeout(() => {
    markScrolling();
    markFading();
  }, 150);
});
window.addEventListener("load", () => observer.observe(document.body));
