// Measures the pages in the frames of this document: what sticks out, what overlaps, what is faint.
// Colours alone differ where a page is dark.
const WIDTHS = matchMedia("(prefers-color-scheme: dark)").matches ? [] : [1280, 768, 390];

// Fragments of text, each with its element and its place on the page, without charts and hidden text.
function fragments(page) {
  const walker = page.createTreeWalker(page.body, NodeFilter.SHOW_TEXT);
  const found = [];
  while (walker.nextNode()) {
    const node = walker.currentNode;
    if (!node.data.trim() || node.parentElement.closest("script, style, title, .skip, option")) continue;
    const range = page.createRange();
    range.selectNodeContents(node);
    for (const box of range.getClientRects()) {
      if (box.width > 1 && box.height > 1) found.push({text: node.data.trim().slice(0, 40), node, box});
    }
  }
  return found;
}

function sticksOut(page, width, parts) {
  const told = [];
  const root = page.documentElement;
  if (root.scrollWidth > root.clientWidth) told.push(`the page is ${root.scrollWidth} wide`);
  for (const {text, node, box} of parts) {
    const scroller = node.parentElement.closest(".scroll");
    const frame = (scroller ?? node.parentElement.closest("section, header") ?? root).getBoundingClientRect();
    if (scroller && width < 1280) continue;
    if (box.right > frame.right + 1 || box.left < frame.left - 1) told.push(`sticks out: ${text}`);
  }
  if (width === 1280) {
    for (const each of page.querySelectorAll(".scroll")) {
      if (each.scrollWidth > each.clientWidth + 1) told.push(`clipped: ${each.textContent.trim().slice(0, 40)}`);
    }
  }
  return told;
}

function overlaps(parts) {
  const told = [];
  const sorted = [...parts].sort((one, other) => one.box.top - other.box.top);
  for (const [place, one] of sorted.entries()) {
    for (let next = place + 1; next < sorted.length; next++) {
      const other = sorted[next];
      if (other.box.top > one.box.bottom - 3) break;
      const wide = Math.min(one.box.right, other.box.right) - Math.max(one.box.left, other.box.left);
      // A head that stays in sight lies over what scrolls beneath it.
      if (wide > 2 && one.node !== other.node) told.push(`overlap: ${one.text} | ${other.text}`);
    }
  }
  return told;
}

function load(html, width) {
  const frame = document.createElement("iframe");
  frame.style.cssText = `width: ${width}px; height: 900px; border: 0`;
  frame.srcdoc = html;
  return new Promise(done => {
    frame.onload = () => done(frame);
    document.body.append(frame);
  });
}

// Sorts by the first column of numbers and filters by the first word of the last row.
function use(page) {
  const told = [];
  const table = page.querySelector("table.sortable");
  if (!table) return told;
  const heads = [...table.tHead.rows[0].cells];
  const column = Math.max(heads.findIndex(head => head.classList.contains("n")), 0);
  const button = heads[column].querySelector("button");
  if (!button) return ["the script did not run"];
  const numbers = () => [...table.tBodies[0].rows].filter(row => !row.classList.contains("detail"))
    .map(row => parseFloat(row.cells[column].textContent.replaceAll("\u202f", ""))).filter(value => !Number.isNaN(value));
  button.click();
  const down = numbers();
  if (down.some((value, place) => place && value > down[place - 1])) told.push("not sorted: " + down.slice(0, 5));
  button.click();
  const up = numbers();
  if (up.some((value, place) => place && value < up[place - 1])) told.push("not sorted up: " + up.slice(0, 5));
  const input = page.querySelector(".filter input");
  if (input) {
    const long = (input.closest("section") ?? page).querySelector("table.sortable");
    const rows = [...long.tBodies[0].rows];
    input.value = rows.at(-1).textContent.trim().split(/\s+/)[0];
    input.dispatchEvent(new Event("input"));
    const left = rows.filter(row => !row.hidden).length;
    if (left < 1 || rows.at(-1).hidden) told.push("the filter hides what it should show");
    input.value = "no such row";
    input.dispatchEvent(new Event("input"));
    if (rows.some(row => !row.hidden)) told.push("the filter shows what it should hide");
  }
  return told;
}

async function contrast(html) {
  // What is measured here is the page without its policy, which would keep the measuring script out.
  const open = html.replace(/<meta http-equiv="Content-Security-Policy"[^>]*>/, "");
  const frame = await load(open, 1280);
  const script = frame.contentDocument.createElement("script");
  script.textContent = document.getElementById("axe").textContent;
  frame.contentDocument.body.append(script);
  for (const each of frame.contentDocument.querySelectorAll("details")) each.open = true;
  const found = await frame.contentWindow.axe.run(frame.contentDocument, {runOnly: ["wcag2a", "wcag2aa"]});
  frame.remove();
  return found.violations.flatMap(each => each.nodes.map(node => `${each.id}: ${node.html.slice(0, 90)} ${node.any[0]?.message ?? ""}`));
}

async function measure() {
  const told = {};
  const pages = JSON.parse(document.getElementById("pages").textContent);
  for (const [name, html] of Object.entries(pages)) {
    for (const width of WIDTHS) {
      const frame = await load(html, width);
      const page = frame.contentDocument;
      for (const each of page.querySelectorAll("details")) each.open = true;
      const parts = fragments(page);
      const found = [...sticksOut(page, width, parts), ...overlaps(parts)];
      if (!parts.length) found.push("the page is empty");
      if (width === 1280) found.push(...use(page));
      told[`${name} ${width}`] = found.slice(0, 8);
      frame.remove();
    }
    if (document.getElementById("axe").textContent) told[`${name} contrast`] = (await contrast(html)).slice(0, 8);
  }
  return told;
}

measure().catch(error => ({"the measuring": [String(error)]})).then(told => {
  const out = document.createElement("pre");
  out.id = "told";
  out.textContent = JSON.stringify(told);
  document.body.append(out);
});
