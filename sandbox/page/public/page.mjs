// @ts-check
// The sandbox's page. Each event contains one section. The page replaces and highlights what has changed.
// Data of the services is set with `textContent`, never as markup.

/** @typedef {import("../../view.js").Section} Section */
/** @typedef {import("../../view.js").Block} Block */
/** @typedef {import("../../view.js").TableRow} TableRow */
/** @typedef {import("../../view.js").Cell} Cell */

const changed = "changed";
const state = /** @type {HTMLElement} */ (document.getElementById("state"));

/**
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Partial<Record<"text" | "className" | "label", string>>} [properties]
 * @param {Node[]} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
function create(tag, { text, className, label } = {}, ...children) {
  const element = document.createElement(tag);
  if (text !== undefined) element.textContent = text;
  if (className) element.className = className;
  if (label !== undefined) {
    element.setAttribute("role", "img");
    element.setAttribute("aria-label", label);
  }
  element.append(...children);
  return element;
}

/**
 * Puts these children in place and leaves those alone that are there already: one that is moved would light up again.
 * @param {Element} parent
 * @param {Element[]} children
 */
function arrange(parent, children) {
  const kept = new Set(children);
  for (const child of [...parent.children]) if (!kept.has(child)) child.remove();
  for (const [index, child] of children.entries())
    if (parent.children[index] !== child) parent.insertBefore(child, parent.children[index] ?? null);
}

/** @param {Cell} cell */
function content(cell) {
  if (typeof cell === "string") return cell === "" ? create("span", { text: "–", className: "quiet" }) : create("span", { text: cell });
  if ("secret" in cell) return create("span", { text: "••••••", className: "secret", label: "a secret, not shown" });
  if ("tone" in cell) return create("span", { text: cell.text, className: cell.tone });
  const dots = Array.from({ length: cell.of }, (_, index) => create("i", { className: index < cell.filled ? "given" : "" }));
  const words = `${cell.filled} of ${cell.of}`;
  return create(
    "span",
    { className: "progress" },
    create("span", { className: "dots", label: words }, ...dots),
    create("span", { text: words }),
  );
}

/**
 * A word is never broken, what is longer may be anywhere.
 * @param {Element} element
 * @param {Cell} cell
 */
function fill(element, cell) {
  const text = content(cell);
  element.replaceChildren(text);
  element.classList.toggle("long", (text.textContent ?? "").length > 12);
}

/** A row on the page. */
class ShownRow {
  /** @param {TableRow} row */
  constructor(row) {
    this.cells = row.cells.map((cell) => JSON.stringify(cell));
    this.element = create("tr");
    for (const [index, cell] of row.cells.entries()) {
      const element = create(index === 0 ? "th" : "td");
      fill(element, cell);
      if (index === 0) element.setAttribute("scope", "row");
      this.element.append(element);
    }
  }

  /** @param {TableRow} row */
  update(row) {
    for (const [index, cell] of row.cells.entries()) {
      const text = JSON.stringify(cell);
      const element = this.element.children[index];
      if (text === this.cells[index] || !element) continue;
      this.cells[index] = text;
      fill(element, cell);
      element.classList.add(changed);
    }
  }
}

/** A table. With many columns it takes the whole width. Rows with default values are folded away below it. */
class ShownBlock {
  /** @type {Map<string, ShownRow>} */
  rows = new Map();
  count = create("span", { className: "count" });
  empty = create("p", { className: "quiet" });
  more = create("p", { className: "quiet" });
  body = create("tbody");
  foldedBody = create("tbody");
  summary = create("summary");

  /** @param {Block} block */
  constructor({ title, columns }) {
    const head = create("thead", {}, create("tr", {}, ...columns.map((text) => create("th", { text }))));
    for (const cell of head.querySelectorAll("th")) cell.setAttribute("scope", "col");
    this.table = create("table", { className: columns.length > 0 ? "" : "fields" }, ...(columns.length > 0 ? [head] : []), this.body);
    this.counts = columns.length > 0;
    this.folded = create("details", {}, this.summary, create("table", { className: "fields" }, this.foldedBody));
    const heading = create("h3", {}, create("span", { text: title }), this.count);
    this.element = create(
      "article",
      { className: columns.length > 3 ? "wide" : "" },
      heading,
      this.table,
      this.empty,
      this.more,
      this.folded,
    );
  }

  /**
   * @param {Block} block
   * @param {boolean} first Nothing lights up when the page has just been opened.
   */
  update({ rows, more, empty }, first) {
    const before = this.rows;
    this.rows = new Map();
    for (const row of rows) {
      const tableRow = before.get(row.id) ?? new ShownRow(row);
      if (before.has(row.id)) tableRow.update(row);
      else if (!first) tableRow.element.classList.add(changed);
      this.rows.set(row.id, tableRow);
    }
    const element = (/** @type {TableRow} */ row) => /** @type {ShownRow} */ (this.rows.get(row.id)).element;
    const set = rows.filter(({ isDefault }) => !isDefault);
    const defaults = rows.filter((row) => row.isDefault);
    arrange(this.body, set.map(element));
    arrange(this.foldedBody, defaults.map(element));

    const count = this.counts ? String(rows.length + more) : "";
    if (count !== this.count.textContent) this.count.classList.toggle(changed, !first);
    this.count.textContent = count;
    this.table.hidden = set.length === 0;
    this.empty.hidden = rows.length > 0;
    this.empty.textContent = empty;
    this.more.hidden = more === 0;
    this.more.textContent = `and ${more} more`;
    this.folded.hidden = defaults.length === 0;
    this.summary.textContent = set.length === 0 ? `${defaults.length} defaults` : `${defaults.length} more defaults`;
  }
}

/** @param {HTMLElement} section */
function follow(section) {
  const note = create("span", { className: "note" });
  const grid = create("div", { className: "blocks" });
  section.querySelector("h2")?.after(note, grid);
  /** @type {Map<string, ShownBlock>} */
  let blocks = new Map();
  let first = true;

  source.addEventListener(section.id, (event) => {
    const update = /** @type {Section} */ (JSON.parse(event.data));
    const before = blocks;
    blocks = new Map();
    for (const block of update.blocks) {
      const one = before.get(block.title) ?? new ShownBlock(block);
      one.update(block, first);
      if (!first && !before.has(block.title)) one.element.classList.add(changed);
      blocks.set(block.title, one);
    }
    arrange(
      grid,
      [...blocks.values()].map(({ element }) => element),
    );
    note.textContent = update.note;
    first = false;
  });
}

const source = new EventSource("events");
source.addEventListener("open", () => {
  state.textContent = "live";
  state.className = "good";
  document.body.className = "";
});
source.addEventListener("error", () => {
  state.textContent = "the sandbox has stopped";
  state.className = "bad";
  document.body.className = "ended";
});
for (const id of ["secrets", "platform", "scheduler", "requests"]) follow(/** @type {HTMLElement} */ (document.getElementById(id)));
document.addEventListener("animationend", ({ target }) => /** @type {Element} */ (target).classList.remove(changed));
