// Small helps for the keyboard. Pages read well without this file.

// Wide tables and formulas scroll inside their own box; a box that scrolls must be
// reachable with the keyboard, and one that does not should be no stop.
const boxes = ".pst-scrollable-table-container, .table-scroll, div.math";

function markScrolling() {
  for (const box of document.querySelectorAll(boxes)) {
    if (box.scrollWidth > box.clientWidth + 1) {
      box.tabIndex = 0;
      box.setAttribute("role", "region");
      box.setAttribute("aria-label", box.matches(".math") ? "Formula" : "Table");
    } else {
      for (const name of ["tabindex", "role", "aria-label"]) box.removeAttribute(name);
    }
  }
}

let waiting;
function markSoon() {
  clearTimeout(waiting);
  waiting = setTimeout(markScrolling, 150);
}

window.addEventListener("load", () => {
  markScrolling();
  // Formulas are set after the page has loaded.
  window.MathJax?.startup?.promise?.then(markScrolling);
});
window.addEventListener("resize", markSoon);
document.addEventListener("toggle", markSoon, true);
