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

// Formulas are set after the page has loaded, boxes unfold, windows change: whatever
// happens to the text changes the height or the width of the page.
let waiting;
const observer = new ResizeObserver(() => {
  clearTimeout(waiting);
  waiting = setTimeout(markScrolling, 150);
});
window.addEventListener("load", () => observer.observe(document.body));
