"""What the site's tests run in a page."""

# What axe says of colours takes it minutes on a page of ten thousand elements. It
# depends on nothing but what is collected here, so one element of each kind is enough:
# for contrast of those that hold text, for links also of the text around them.
MARK_KINDS = """() => {
  const grounds = new Map(), seen = new Set();
  const ground = e => {
    if (!e) return "";
    if (!grounds.has(e)) {
      const s = getComputedStyle(e);
      const own = [s.backgroundColor, s.backgroundImage, s.opacity, s.filter].join();
      const plain = own === "rgba(0, 0, 0, 0),none,1,none";
      grounds.set(e, ground(e.parentElement) + (plain ? "" : "/" + own));
    }
    return grounds.get(e);
  };
  const style = e => {
    const s = getComputedStyle(e);
    return [s.color, s.fontSize, s.fontWeight, s.textShadow, ground(e)].join();
  };
  const around = link => {
    const block = link.closest("p, li, dd, dt, td, th, div, figcaption");
    const links = [...block.querySelectorAll("a[href]")];
    const linked = links.map(e => e.textContent).join("").length;
    const s = getComputedStyle(link);
    const line = [s.textDecoration, s.borderBottom, s.fontStyle].join();
    const stands = block.textContent.length - linked > linked ? "in text" : "alone";
    return ["link", style(link), line, stands, style(block)].join();
  };
  const mark = (e, kind) => {
    if (!seen.has(kind)) { seen.add(kind); e.setAttribute("data-kind", ""); }
  };
  for (const e of document.body.querySelectorAll("*")) {
    if (!e.checkVisibility({visibilityProperty: true})) continue;
    if (e.matches("a[href]")) mark(e, around(e));
    if ([...e.childNodes].some(n => n.nodeType === 3 && n.data.trim()))
      mark(e, style(e));
  }
  return seen.size;
}"""
# Most elements of a chapter are the coloured words of its code and the pieces of its
# formulas. Words that are not the specimen of a kind become plain text, and of the
# formulas only the first keeps what is hidden from readers: no width, no name changes.
TRIM = """() => {
  for (const e of document.querySelectorAll("pre span:not([data-kind])"))
    e.replaceWith(...e.childNodes);
  const hidden = "mjx-container:not([width]) > [aria-hidden=true]";
  for (const e of [...document.querySelectorAll(hidden)].slice(1)) {
    const box = e.getBoundingClientRect();
    e.style.display = "inline-block";
    e.style.width = box.width + "px";
    e.style.height = box.height + "px";
    e.replaceChildren();
  }
}"""
# Without preload: axe would fetch style sheets again, some from a wrong address.
RUN_AXE = """async () => {
  const options = {resultTypes: ["violations"], preload: false};
  const ofColours = ["color-contrast", "link-in-text-block"];
  const off = ofColours.map(rule => [rule, {enabled: false}]);
  const results = [
    await axe.run(document, {...options, rules: Object.fromEntries(off)}),
    await axe.run({include: [["[data-kind]"]]}, {...options, runOnly: ofColours}),
  ];
  return results.flatMap(r => r.violations).flatMap(v => v.nodes.map(n =>
    `${v.id}: ${n.target.join(" ")}: ${n.failureSummary}`));
}"""
# What is folded away is opened, since nothing can be said of what is not shown.
UNFOLD = """() => {
  for (const d of document.querySelectorAll("details")) d.open = true;
  for (const b of document.querySelectorAll(".toggle-hidden > .toggle-button, "
    + ".toggle-hidden button.toggle-button")) b.click();
}"""
# No sentence may be cut off: what a check says, errors, words in the attention viewer,
# the verdicts of comparisons, formulas in a line of text. Columns and code scroll.
CUT = """() => {
  const texts = ".output:is(.verdict, .traceback, .flows) pre, .av-picture";
  const tables = [...document.querySelectorAll(".output.text_html")].filter(
    e => e.querySelector("thead th:last-child")?.textContent === "verdict");
  const wide = [...document.querySelectorAll(texts), ...tables].filter(
    e => e.scrollWidth > e.clientWidth + 1);
  const right = e => e.getBoundingClientRect().right;
  const inline = [...document.querySelectorAll(":is(p, li, dd) mjx-container")];
  const formulas = inline.filter(e => e.checkVisibility()
    && right(e.firstElementChild) > right(e.closest("p, li, dd")) + 1);
  return [...wide, ...formulas].map(e => e.textContent.trim().slice(0, 60));
}"""
THEME = "document.documentElement.dataset.theme"
SETTLED = """async () => {
  await window.MathJax?.startup?.promise;
  await document.fonts.ready;
  await new Promise(done => setTimeout(done, 300));  // book.js answers after 150 ms
}"""
STOPS = """() => [...document.querySelectorAll("pre")].every(
  e => e.scrollWidth <= e.clientWidth || e.tabIndex === 0)"""
IMAGES = """() => [...document.images].map(i =>
  ({source: i.src, alt: i.getAttribute("alt"), width: i.naturalWidth}))"""
