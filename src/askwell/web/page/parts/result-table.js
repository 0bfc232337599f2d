// Rows as a table that stays quick with ten thousand rows and five hundred columns: sorted, searched, copied.
import { followed, h, icon, isRtl } from "../lib/dom.js";
import { isNumeric, plainText, withoutNoise } from "../lib/format.js";
import { sliced } from "../lib/slices.js";
import { t } from "../lib/text.js";
import { dialog, menu } from "./dialog.js";
import { AT_REST, copy, say, toast } from "./notes.js";
import { Columns } from "./table/columns.js";
import { csv, markdown, tsv } from "./table/copying.js";
import { Grid, selection } from "./table/grid.js";
import { holding, sorted } from "./table/order.js";

/** @typedef {{columns: import("../lib/format.js").Column[], rows: unknown[][], truncated: boolean}} Data */

// From so many rows on there is a box to search in them.
const SEARCHED_FROM = 15;

/**
 * @param {Data} data @param {import("./table/order.js").Sort} [sort] how it is sorted at first; else as it came
 * @returns {HTMLElement}
 */
export function resultTable(data, sort = null) {
  return new ResultTable(data, sort).element;
}

class ResultTable {
  /** @param {Data} data @param {import("./table/order.js").Sort} sort */
  constructor(data, sort) {
    this.cells = data.rows;
    this.all = data.rows.map((_, at) => at);
    this.seen = {
      columns: new Columns(data.columns, data.rows),
      cells: data.rows,
      order: sorted(this.all, data.rows, data.columns, sort),
      sort,
      active: { row: 0, column: 0 },
      anchor: { row: 0, column: 0 },
    };
    this.grid = new Grid(this.seen);
    this.found = this.all;
    this.searching = new AbortController();
    this.status = h("span", { class: "small muted" });
    const { element: grid } = this.grid;
    grid.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => this.#key(event));
    grid.addEventListener("pointerdown", (/** @type {PointerEvent} */ event) => this.#pointed(event));
    grid.addEventListener("dblclick", (/** @type {MouseEvent} */ event) => this.#opened(event));
    grid.addEventListener("copy", (/** @type {ClipboardEvent} */ event) => this.#copied(event));
    grid.addEventListener("focus", () => grid.matches(":focus-visible") && this.grid.clear());
    const keys = `${this.grid.name}-keys`;
    grid.setAttribute("aria-describedby", keys);
    this.element = h("div", { class: "result-table", part: "table" }, this.#tools(), grid, h("p", { id: keys, hidden: true }, t("table.keys")));
    this.grid.draw();
  }

  #tools() {
    const search = h("input", { class: "input table-search", type: "search", placeholder: t("table.search"), "aria-label": t("table.search") });
    search.addEventListener("input", () => this.#search(search.value));
    const names = () => this.seen.columns.all.map((column) => column.name).slice(...this.#chosen().columns);
    const rows = () => this.#chosen().rows;
    const copies = menu([icon("copy"), t("copy")], [
      { text: t("copy.cells"), act: () => copy(tsv([names(), ...rows()])) },
      { text: t("copy.csv"), act: () => copy(csv([names(), ...rows()])) },
      { text: t("copy.markdown"), act: () => copy(markdown(names(), rows())) },
    ]);
    return h("div", { class: "table-tools" }, this.cells.length >= SEARCHED_FROM && search, this.status, copies);
  }

  /** @param {string} words */
  async #search(words) {
    this.searching.abort();
    this.searching = new AbortController();
    const { signal } = this.searching;
    try {
      this.found = await sliced(holding(words, this.cells, this.seen.columns.all), signal);
    } catch (error) {
      if (signal.aborted) return;
      throw error;
    }
    this.status.textContent = words ? t("table.found", { count: this.found.length }) : "";
    say(words ? t("table.found", { count: this.found.length }) : t("rows", { count: this.found.length }), this.element, AT_REST);
    this.#arrange();
  }

  #arrange() {
    this.seen.order = sorted(this.found, this.cells, this.seen.columns.all, this.seen.sort);
    this.seen.active = this.seen.anchor = { row: Math.min(this.seen.active.row, this.seen.order.length - 1), column: this.seen.active.column };
    this.grid.draw();
  }

  /** Sort by a column: upwards, downwards, as it came. @param {number} column */
  #sort(column) {
    const { sort } = this.seen;
    if (sort?.column !== column) this.seen.sort = { column, isDescending: false };
    else this.seen.sort = sort.isDescending ? null : { column, isDescending: true };
    this.#arrange();
    say(this.#order(), this.element);
  }

  /** How the rows are sorted, in words. */
  #order() {
    const { sort, columns } = this.seen;
    if (sort === null) return t("table.unsorted");
    const column = columns.all[sort.column];
    const kind = isNumeric(column) ? "size" : "text";
    return t(`table.sorted.${kind}.${sort.isDescending ? "down" : "up"}`, { column: column.name });
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const { key } = event;
    if (event.altKey && this.seen.active.row === -1 && key.startsWith("Arrow")) this.#widen(key === (isRtl(this.element) ? "ArrowLeft" : "ArrowRight") ? 16 : -16);
    else if (key === "Enter" || key === " ") this.#enter();
    else if (!this.#selects(event)) return;
    event.preventDefault();
  }

  /** Whether a key selects something, or leads to another cell. @param {KeyboardEvent} event */
  #selects({ key, ctrlKey, metaKey, shiftKey }) {
    const last = { row: this.seen.order.length - 1, column: this.seen.columns.all.length - 1 };
    const steps = this.#steps(ctrlKey || metaKey, last.row, last.column);
    if ((ctrlKey || metaKey) && key.toLowerCase() === "a") this.#extend({ row: 0, column: 0 }, last);
    else if (key === "Escape" && this.#hasSelection) this.#unselect();
    else if (Object.hasOwn(steps, key)) this.#move(steps[key], last, shiftKey);
    else return false;
    return true;
  }

  #unselect() {
    this.#select(this.seen.active, this.seen.active);
    say(t("table.unselected"), this.element);
  }

  #enter() {
    const { active } = this.seen;
    if (active.row === -1) this.#sort(active.column);
    else this.#open(active.row, active.column);
  }

  /** @param {[number, number]} wanted row and column @param {import("./table/grid.js").Cell} last @param {boolean} isExtending */
  #move([row, column], last, isExtending) {
    const to = { row: Math.min(Math.max(row, -1), last.row), column: Math.min(Math.max(column, 0), last.column) };
    if (isExtending && to.row >= 0) this.#extend(this.seen.anchor, to);
    else this.#select(to, to);
    this.grid.clear();
  }

  /** Where keys lead, as `[row, column]`. @param {boolean} isFar @param {number} lastRow @param {number} lastColumn */
  #steps(isFar, lastRow, lastColumn) {
    const { active } = this.seen;
    const jump = this.grid.rowsInSight;
    const [before, behind] = isRtl(this.element) ? ["ArrowRight", "ArrowLeft"] : ["ArrowLeft", "ArrowRight"];
    /** @type {Record<string, [number, number]>} */
    const steps = {
      ArrowUp: [isFar ? -1 : active.row - 1, active.column],
      ArrowDown: [isFar ? lastRow : active.row + 1, active.column],
      [before]: [active.row, isFar ? 0 : active.column - 1],
      [behind]: [active.row, isFar ? lastColumn : active.column + 1],
      Home: [isFar ? 0 : active.row, 0],
      End: [isFar ? lastRow : active.row, lastColumn],
      PageUp: [Math.max(0, active.row - jump), active.column],
      PageDown: [active.row + jump, active.column],
    };
    return steps;
  }

  /** @param {import("./table/grid.js").Cell} anchor @param {import("./table/grid.js").Cell} active */
  #select(anchor, active) {
    this.seen.anchor = anchor;
    this.seen.active = active;
    this.grid.reveal();
  }

  /** Select, and say how much that is. @param {import("./table/grid.js").Cell} anchor @param {import("./table/grid.js").Cell} active */
  #extend(anchor, active) {
    this.#select(anchor, active);
    const { columns, rows } = this.#selected();
    const extent = { rows: t("rows", { count: rows.length }), columns: t("model.columns", { count: columns[1] - columns[0] }) };
    say(t("table.selected", extent), this.element, AT_REST);
  }

  /** Whether more than one cell is selected. */
  get #hasSelection() {
    const { active, anchor } = this.seen;
    return active.row !== anchor.row || active.column !== anchor.column;
  }

  /** @param {PointerEvent} event */
  #pointed(event) {
    const target = /** @type {HTMLElement} */ (event.target);
    if (event.button !== 0) return;
    if (target.dataset.handle !== undefined) {
      this.#drag(event, Number(target.dataset.handle));
      return;
    }
    const cell = cellAt(target);
    if (!cell) return;
    this.#select(event.shiftKey && cell.row >= 0 ? this.seen.anchor : cell, cell);
    if (cell.row === -1) this.#sort(cell.column);
    else followed((moved) => this.#selectTo(moved));
  }

  /** Select as far as the cell below the pointer. @param {PointerEvent} event */
  #selectTo({ clientX, clientY }) {
    const root = /** @type {Document | ShadowRoot} */ (this.element.getRootNode());
    const cell = cellAt(/** @type {HTMLElement | null} */ (root.elementFromPoint(clientX, clientY)));
    if (cell && cell.row >= 0) this.#select(this.seen.anchor, cell);
  }

  /** Change the width of a column along with the pointer. @param {PointerEvent} event @param {number} column */
  #drag(event, column) {
    event.preventDefault();
    const sign = isRtl(this.element) ? -1 : 1;
    const [from, width] = [event.clientX, this.seen.columns.widths[column]];
    followed(({ clientX }) => {
      this.seen.columns.resize(column, width + sign * (clientX - from));
      this.grid.draw();
    });
  }

  /** @param {number} by pixels */
  #widen(by) {
    const { columns, active } = this.seen;
    columns.resize(active.column, columns.widths[active.column] + by);
    this.grid.reveal();
    say(t("table.width", { pixels: columns.widths[active.column] }), this.element, AT_REST);
  }

  /** @param {MouseEvent} event */
  #opened(event) {
    const target = /** @type {HTMLElement} */ (event.target);
    const cell = cellAt(target);
    if (target.dataset.handle !== undefined) {
      const column = Number(target.dataset.handle);
      this.seen.columns.resize(column, this.seen.columns.fitting(column));
      this.grid.draw();
    } else if (cell && cell.row >= 0) this.#open(cell.row, cell.column);
  }

  /** Show a cell whole. @param {number} row @param {number} column */
  #open(row, column) {
    const name = this.seen.columns.all[column].name;
    const text = plainText(this.#copy(this.seen.order[row])[column]);
    const field = h("textarea", { class: "input code", readonly: true, rows: Math.min(16, 2 + Math.floor(text.length / 60)), "aria-label": name }, text);
    const button = h("button", { class: "button", type: "button", onclick: () => copy(text) }, icon("copy"), t("copy"));
    const shown = dialog(name.slice(0, 200), [field], [button]);
    shown.element.addEventListener("close", () => this.grid.element.focus());
  }

  /** What is selected, or everything where that is one cell: its rows, and the first column and the one behind the last. */
  #chosen() {
    return !this.#hasSelection ? { columns: [0, this.seen.columns.all.length], rows: this.seen.order.map((row) => this.#copy(row)) } : this.#selected();
  }

  #selected() {
    const { top, bottom, start, end } = selection(this.seen);
    const columns = [start, end + 1];
    return { columns, rows: this.seen.order.slice(Math.max(0, top), bottom + 1).map((row) => this.#copy(row).slice(...columns)) };
  }

  /** A row as copies have it. @param {number} row */
  #copy(row) {
    return this.cells[row].map((value, at) => withoutNoise(value, this.seen.columns.all[at]));
  }

  /** @param {ClipboardEvent} event */
  #copied(event) {
    if (String(getSelection()) !== "") return;
    event.clipboardData?.setData("text/plain", tsv(this.#selected().rows));
    event.preventDefault();
    toast(t("copied"));
  }
}

/** @param {HTMLElement | null} target @returns {import("./table/grid.js").Cell | null} */
function cellAt(target) {
  const cell = /** @type {HTMLElement | null} */ (target?.closest?.("[data-column]") ?? null);
  return cell && { row: Number(cell.dataset.row), column: Number(cell.dataset.column) };
}
