// Sorts tables of the class "sortable" by a click on their heads, and filters their rows by words.
const LONG = 8;

function compare(one, other, isNumber) {
  if (!isNumber) return one.localeCompare(other, "en", {numeric: true});
  const [x, y] = [one, other].map(text => parseFloat(text.replaceAll("\u202f", "")));
  return Number.isNaN(x) || Number.isNaN(y) ? Number.isNaN(y) - Number.isNaN(x) : x - y;
}

// A row of the class "detail" belongs to the row before it and goes where that goes.
function groupsOf(body) {
  const groups = [];
  for (const row of body.rows) {
    if (row.classList.contains("detail") && groups.length) groups.at(-1).push(row);
    else groups.push([row]);
  }
  return groups;
}

function sort(table, head, column) {
  const isNumber = head.classList.contains("n");
  const before = head.getAttribute("aria-sort");
  const isUp = before ? before === "descending" : !isNumber;
  for (const other of table.tHead.querySelectorAll("th[aria-sort]")) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", isUp ? "ascending" : "descending");
  const keyed = groupsOf(table.tBodies[0]).map(group => [group[0].cells[column].textContent.trim(), group]);
  keyed.sort(([one], [other]) => (isUp ? 1 : -1) * compare(one, other, isNumber));
  for (const [, group] of keyed) table.tBodies[0].append(...group);
}

function addFilter(table) {
  const label = document.createElement("label");
  const input = document.createElement("input");
  const shown = document.createElement("span");
  input.type = "search";
  label.className = "filter";
  label.append("Filter", input, shown);
  shown.setAttribute("role", "status");
  input.addEventListener("input", () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    const groups = groupsOf(table.tBodies[0]);
    let left = 0;
    for (const group of groups) {
      const text = group.map(row => row.textContent.toLowerCase()).join(" ");
      const fits = words.every(word => text.includes(word));
      for (const row of group) row.hidden = !fits;
      left += fits;
    }
    shown.textContent = words.length ? `${left} of ${groups.length} rows` : "";
  });
  (table.closest(".scroll") ?? table).before(label);
}

for (const table of document.querySelectorAll("table.sortable")) {
  for (const [column, head] of [...table.tHead.rows[0].cells].entries()) {
    if (!head.textContent.trim() || head.classList.contains("chart")) continue;
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => sort(table, head, column));
  }
  if (table.tBodies[0].rows.length > LONG) addFilter(table);
}
