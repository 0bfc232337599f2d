// Rows and columns of which only those in sight are in the document. Rows are numbered from 0, the header is row -1.
import { fill, h, isRtl } from "../../lib/dom.js";
import { cellText, heading } from "../../lib/format.js";
import { scrollClear } from "../../lib/sight.js";
import { t } from "../../lib/text.js";

const ROW_HEIGHT = 30;
const BEYOND = 6;
const LONGEST = 300;
// The part of the room that the first column may take for itself.
const MOST_FROZEN = 0.4;

/** @typedef {{row: number, column: number}} Cell */

/**
 * @typedef {object} Seen what a grid shows
 * @property {import("./columns.js").Columns} columns
 * @property {unknown[][]} cells
 * @property {number[]} order numbers of the rows that are shown, from the first one
 * @property {import("./order.js").Sort} sort
 * @property {Cell} active
 * @property {Cell} anchor where the selection begins; it ends at `active`
 */

let count = 0;

export class Grid {
  /** @param {Seen} seen */
  constructor(seen) {
    this.seen = seen;
    /** @type {number | undefined} */
    this.frame = undefined;
    this.name = `grid${(count += 1)}`;
    this.header = h("div", { class: "grid-row grid-header", role: "row", "aria-rowindex": 1 });
    this.body = h("div", { class: "grid-body", role: "rowgroup" });
    this.sizer = h("div", { class: "grid-sizer" }, h("div", { role: "rowgroup", class: "grid-head" }, this.header), this.body);
    this.element = h("div", { class: "grid", role: "grid", tabindex: "0", "aria-label": t("table"), "aria-multiselectable": "true" }, this.sizer);
    this.element.addEventListener("scroll", () => this.draw(), { passive: true });
    new ResizeObserver(() => this.draw()).observe(this.element);
  }

  /** Show what is in sight, with the next frame. */
  draw() {
    this.frame ??= requestAnimationFrame(() => {
      this.frame = undefined;
      this.#draw();
    });
  }

  #draw() {
    const { columns, order } = this.seen;
    const numbers = this.#numbersWidth();
    const { clientWidth, clientHeight, scrollTop } = this.element;
    const left = Math.abs(this.element.scrollLeft);
    const frozen = this.#frozenWidth();
    const [first, last] = columns.between(left + frozen, left + Math.max(clientWidth - numbers, frozen + 1));
    const top = Math.max(0, Math.floor(scrollTop / ROW_HEIGHT) - BEYOND);
    const bottom = Math.min(order.length, Math.ceil((scrollTop + clientHeight) / ROW_HEIGHT) + BEYOND);
    this.element.style.setProperty("--numbers", `${numbers}px`);
    this.sizer.style.inlineSize = `${columns.total + numbers}px`;
    this.sizer.style.blockSize = `${(order.length + 1) * ROW_HEIGHT}px`;
    this.element.setAttribute("aria-rowcount", String(order.length + 1));
    this.element.setAttribute("aria-colcount", String(columns.all.length));
    const inSight = Array.from({ length: last - first + 1 }, (_, at) => first + at);
    const seen = { inSight, before: columns.start(first) - frozen, isFrozen: frozen > 0 };
    fill(this.header, this.#line(h("span", { class: "grid-number" }), seen, (at) => this.#heading(at)));
    const rows = [];
    for (let row = top; row < bottom; row += 1) rows.push(this.#row(row, seen));
    fill(this.body, rows);
    this.element.setAttribute("aria-activedescendant", this.#id(this.seen.active));
  }

  /**
   * The number of a row, the first column where it stays in sight, and the columns that are in sight behind it.
   * @param {HTMLElement} number @param {{inSight: number[], before: number, isFrozen: boolean}} seen @param {(column: number) => HTMLElement} cell
   */
  #line(number, { inSight, before, isFrozen }, cell) {
    const first = isFrozen && cell(0);
    if (first) first.classList.add("is-frozen");
    return [number, first, h("span", { class: "grid-before", style: { "inline-size": `${before}px` } }), ...inSight.map(cell)];
  }

  /** @param {number} row @param {{inSight: number[], before: number, isFrozen: boolean}} seen */
  #row(row, seen) {
    const cells = this.seen.cells[this.seen.order[row]];
    return h(
      "div",
      { class: "grid-row", role: "row", "aria-rowindex": row + 2, style: { "inset-block-start": `${(row + 1) * ROW_HEIGHT}px` } },
      this.#line(h("span", { class: "grid-number", "aria-hidden": "true" }, row + 1), seen, (column) => this.#cell(row, column, cells[column])),
    );
  }

  /** @param {number} row @param {number} column @param {unknown} value */
  #cell(row, column, value) {
    const { columns } = this.seen;
    const text = cellText(value, columns.all[column]);
    const shown = text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
    const kind = `${columns.isNumeric(column) ? " is-number" : ""}${value === null ? " is-null" : ""}${this.#marks({ row, column })}`;
    return h(
      "span",
      { class: `grid-cell${kind}`, role: columns.isHeading(column) ? "rowheader" : "gridcell", id: this.#id({ row, column }), "aria-colindex": column + 1, "aria-selected": String(this.isSelected({ row, column })), dataset: { row, column }, style: { "inline-size": `${columns.widths[column]}px` } },
      h("span", { class: "grid-text", dir: "auto" }, value === null ? t("null") : shown.replace(/[\r\n]+/g, " ↵ ")),
    );
  }

  /** @param {number} column */
  #heading(column) {
    const { columns, sort } = this.seen;
    const isSorted = sort?.column === column;
    const way = isSorted ? (sort.isDescending ? "descending" : "ascending") : "none";
    const arrow = isSorted ? (sort.isDescending ? " ↓" : " ↑") : "";
    return h(
      "span",
      { class: `grid-cell grid-heading${columns.isNumeric(column) ? " is-number" : ""}${this.#marks({ row: -1, column })}`, role: "columnheader", id: this.#id({ row: -1, column }), "aria-colindex": column + 1, "aria-sort": way, title: `${columns.all[column].name} · ${columns.all[column].type}`.slice(0, LONGEST), dataset: { row: -1, column }, style: { "inline-size": `${columns.widths[column]}px` } },
      h("span", { class: "grid-text", dir: "auto" }, heading(columns.all[column]).slice(0, LONGEST)),
      arrow,
      h("span", { class: "grid-handle", "aria-hidden": "true", dataset: { handle: column } }),
    );
  }

  /** @param {Cell} cell */
  #marks({ row, column }) {
    const { active } = this.seen;
    const { top, bottom, start, end } = selection(this.seen);
    const isSelected = this.isSelected({ row, column });
    const marks = {
      "is-selected": isSelected,
      "is-first": isSelected && row === top,
      "is-last": isSelected && row === bottom,
      "is-start": isSelected && column === start,
      "is-end": isSelected && column === end,
      "is-active": active.row === row && active.column === column,
    };
    return Object.entries(marks).filter(([, isIt]) => isIt).map(([name]) => ` ${name}`).join("");
  }

  /** Whether a cell is between the ends of the selection, which has more than one. @param {Cell} cell */
  isSelected({ row, column }) {
    const { top, bottom, start, end } = selection(this.seen);
    return (top < bottom || start < end) && row >= top && row <= bottom && column >= start && column <= end;
  }

  /** Bring the active cell into sight. */
  reveal() {
    const { columns, active } = this.seen;
    const numbers = this.#numbersWidth();
    const grid = this.element;
    const top = active.row * ROW_HEIGHT;
    if (active.row >= 0) {
      if (top < grid.scrollTop) grid.scrollTop = top;
      const room = grid.clientHeight - 2 * ROW_HEIGHT;
      if (top > grid.scrollTop + room) grid.scrollTop = top - room;
    }
    const sign = isRtl(grid) ? -1 : 1;
    const frozen = this.#frozenWidth();
    const start = columns.start(active.column);
    const end = start + columns.widths[active.column] - (grid.clientWidth - numbers);
    const left = Math.abs(grid.scrollLeft);
    if (active.column === 0 && frozen) return this.draw();
    if (start < left + frozen) grid.scrollLeft = sign * (start - frozen);
    else if (end > left) grid.scrollLeft = sign * Math.min(end, start - frozen);
    this.draw();
  }

  /** Scroll the page so that nothing is over the active cell. */
  clear() {
    const { row } = this.seen.active;
    const from = this.element.getBoundingClientRect().top;
    const top = row < 0 ? from : from + (row + 1) * ROW_HEIGHT - this.element.scrollTop;
    scrollClear(top, top + ROW_HEIGHT);
  }

  /** How many rows fit. */
  get rowsInSight() {
    return Math.max(1, Math.floor(this.element.clientHeight / ROW_HEIGHT) - 1);
  }

  #numbersWidth() {
    return 18 + 8 * String(this.seen.order.length).length;
  }

  /** How wide the first column is where it stays in sight: where others are beyond it, and it leaves room for them. */
  #frozenWidth() {
    const { columns } = this.seen;
    const room = this.element.clientWidth - this.#numbersWidth();
    const [width] = columns.widths;
    return columns.total > room && width < MOST_FROZEN * room ? width : 0;
  }

  /** @param {Cell} cell */
  #id({ row, column }) {
    return `${this.name}-${row}-${column}`;
  }
}

/** The edges of a selection. @param {{active: Cell, anchor: Cell}} ends */
export function selection({ active, anchor }) {
  const [rows, columns] = [[active.row, anchor.row], [active.column, anchor.column]];
  return { top: Math.min(...rows), bottom: Math.max(...rows), start: Math.min(...columns), end: Math.max(...columns) };
}
