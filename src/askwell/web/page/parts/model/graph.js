// Joins as a picture: tables as boxes with the columns that join them, lines with how many rows fit to how many.
import { fill, h } from "../../lib/dom.js";
import { sliced } from "../../lib/slices.js";
import { t } from "../../lib/text.js";
import { shownName } from "./data.js";
import { laidOut } from "./layout.js";
import { PanZoom } from "./pan-zoom.js";
import { joinText } from "./words.js";

/** @typedef {import("./data.js").Model} Model */
/** @typedef {import("./data.js").Join} Join */
/** @typedef {import("./layout.js").Place} Place */

const HEAD = 30;
const LINE = 18;
// How wide letters are, in pixels: those of names, and those of columns.
const NAME_LETTER = 8.4;
const LETTER = 7.3;
const LINES = 8;
const MARGIN = 16;
const HEIGHTS = [180, 560];
// Smaller than this, letters cannot be read: what does not fit then is moved into sight.
const LEAST = 0.9;
// How far the control points of a join of a table with itself reach, and its line: three quarters of that.
const LOOP = 44;

/**
 * The picture; laid out in slices after the page has been shown.
 * @param {{model: Model, names: string[], chosen: string, middle: string, onChoose: (name: string) => void, signal: AbortSignal}} given
 * @returns {HTMLElement}
 */
export function graph(given) {
  const { model, names, signal } = given;
  const drawn = new Set(names);
  const joins = model.joins.filter((join) => drawn.has(join.left) && drawn.has(join.right));
  const boxes = names.map((name) => new Box(model, name, joins));
  const place = h("div", { class: "graph", "aria-busy": "true" }, h("div", { class: "progress is-open" }, h("span")));
  const links = joins.map((join) => (manySide(join) ? { from: join.left, to: join.right } : { from: join.right, to: join.left }));
  sliced(laidOut(boxes, links), signal).then(
    (laid) => {
      place.removeAttribute("aria-busy");
      fill(place, new Drawing(given, joins, boxes, laid).element);
    },
    (error) => signal.aborted || console.error(error),
  );
  return place;
}

/** Whether the join leads from many rows to one; what is the same on both sides leads as it was written. @param {Join} join */
function manySide(join) {
  return join.cardinality !== "ONE_TO_MANY";
}

/** A table as it is drawn: its name and the columns that matter to joins. */
class Box {
  /** @param {Model} model @param {string} name @param {Join[]} joins */
  constructor(model, name, joins) {
    this.id = name;
    this.table = /** @type {import("./data.js").Table} */ (model.byName.get(name));
    const keys = new Set(this.table.primary_key);
    for (const join of joins) {
      for (const [left, right] of join.pairs) {
        if (join.left === name) keys.add(left);
        if (join.right === name) keys.add(right);
      }
    }
    this.keys = [...keys];
    this.lines = this.keys.slice(0, LINES).map((key) => fitted(key, 26));
    if (this.keys.length > LINES) this.lines.push(t("model.graph.more", { count: this.keys.length - LINES }));
    this.title = fitted(shownName(this.table), 26);
    const longest = Math.max(wide(this.title) * NAME_LETTER, ...this.lines.map((line) => wide(line) * LETTER));
    this.width = Math.round(Math.max(120, 28 + longest));
    this.height = HEAD + (this.lines.length ? this.lines.length * LINE + 8 : 0);
  }

  /** How far below its top a column stands. @param {string} column */
  heightOf(column) {
    const at = Math.min(this.keys.indexOf(column), this.lines.length - 1);
    return at < 0 ? HEAD / 2 : HEAD + 4 + at * LINE + LINE / 2;
  }
}

/** How many letters wide a text is; those of some writings are two. @param {string} text */
function wide(text) {
  return [...text].reduce((sum, letter) => sum + (/[\u1100-\uffdc]/u.test(letter) || letter > "\uffff" ? 2 : 1), 0);
}

/** @param {string} text @param {number} most */
function fitted(text, most) {
  const letters = [...text.slice(0, 4 * most)];
  let at = 0;
  for (let sum = 0; at < letters.length && sum < most; at += 1) sum += wide(letters[at]);
  return at < letters.length ? `${letters.slice(0, at - 1).join("")}…` : text;
}

class Drawing {
  /**
   * @param {Parameters<typeof graph>[0]} given @param {Join[]} joins @param {Box[]} boxes
   * @param {import("./layout.js").Laid} laid
   */
  constructor(given, joins, boxes, laid) {
    this.given = given;
    this.laid = laid;
    this.boxes = new Map(boxes.map((box) => [box.id, box]));
    this.hint = "";
    this.caption = h("p", { class: "graph-caption small muted" });
    /** @type {{join: Join, element: Element}[]} */
    this.lines = joins.map((join, at) => ({ join, element: this.#line(join, laid.ways[at]) }));
    const root = h("g", null, this.lines.map((line) => line.element), boxes.map((box) => this.#box(box)));
    const picture = h("svg", { class: "graph-picture", "aria-hidden": "true", focusable: "false" }, root);
    const view = h("div", { class: "graph-view", tabindex: "0", role: "application", "aria-label": t("model.graph", { count: boxes.length }) }, picture);
    const [least, most] = HEIGHTS;
    const loops = joins.filter((join) => join.left === join.right).map((join) => /** @type {Place} */ (laid.places.get(join.left)));
    const size = { width: Math.max(laid.width, ...loops.map((place) => place.x + place.width + 0.75 * LOOP + 2)), height: laid.height };
    const focus = laid.places.get(given.chosen || given.middle) ?? null;
    this.panZoom = new PanZoom(view, root, { size, focus, margin: MARGIN, least: LEAST, heightFor: (width) => {
      const fits = (width - 2 * MARGIN) / Math.max(1, size.width);
      this.#hints(fits < LEAST || laid.height * LEAST + 2 * MARGIN > most);
      return Math.min(most, Math.max(least, laid.height * Math.min(1, Math.max(LEAST, fits)) + 2 * MARGIN));
    } });
    this.element = h("div", { class: "graph-frame" }, view, h("div", { class: "graph-tools row" }, this.caption, this.panZoom.buttons()));
  }

  /** @param {boolean} isCut whether there is more of it than is in sight */
  #hints(isCut) {
    const isTouched = matchMedia("(pointer: coarse)").matches;
    this.hint = t(isTouched ? "model.graph.hint.touch" : isCut ? "model.graph.hint.cut" : "model.graph.hint");
    fill(this.caption, this.hint);
  }

  /** @param {Box} box */
  #box(box) {
    const { x, y, width, height } = /** @type {Place} */ (this.laid.places.get(box.id));
    const keys = new Set(box.table.primary_key);
    const lines = box.lines.map((line, at) => {
      const isKey = at < LINES && keys.has(box.keys[at]);
      return h("text", { class: `graph-column${isKey ? " is-key" : ""}`, x: 12, y: HEAD + 4 + at * LINE + 13 }, line);
    });
    const isChosen = box.id === this.given.chosen;
    return h(
      "g",
      {
        class: `graph-box is-${box.table.kind}${isChosen ? " is-chosen" : ""}`,
        transform: `translate(${x} ${y})`,
        onclick: () => this.panZoom.hasMoved || this.given.onChoose(box.id),
        onpointerenter: () => this.#near((join) => join.left === box.id || join.right === box.id),
        onpointerleave: () => this.#near(() => false),
      },
      h("rect", { class: "graph-ground", width, height, rx: 8 }),
      h("path", { class: "graph-head", d: headPath(width, lines.length ? HEAD : height, lines.length > 0) }),
      h("text", { class: "graph-name", x: 12, y: 20 }, box.title),
      lines,
      h("rect", { class: "graph-edge", width, height, rx: 8 }),
    );
  }

  /** @param {(join: Join) => boolean} isNear */
  #near(isNear) {
    for (const { join, element } of this.lines) element.classList.toggle("is-near", isNear(join));
  }

  /** @param {Join} join @param {{x: number, y: number}[]} way */
  #line(join, way) {
    const [first, second] = join.cardinality.split("_TO_");
    const ends = this.#ends(join);
    const isTurned = ends.left.x > ends.right.x;
    const [begin, end] = isTurned ? [ends.right, ends.left] : [ends.left, ends.right];
    const isLoop = join.left === join.right;
    const path = isLoop ? loop(begin, end) : curve([begin, ...way, end]);
    const [atBegin, atEnd] = isTurned ? [second, first] : [first, second];
    const caption = () => fill(this.caption, joinText(join));
    return h(
      "g",
      { class: `graph-line${join.is_inferred ? " is-inferred" : ""}`, onpointerenter: caption, onpointerleave: () => fill(this.caption, this.hint) },
      h("path", { class: "graph-reach", d: path }),
      h("path", { class: "graph-way", d: path }),
      h("path", { class: "graph-end", d: endPath(begin, 1, atBegin === "MANY") }),
      h("path", { class: "graph-end", d: endPath(end, isLoop ? 1 : -1, atEnd === "MANY") }),
    );
  }

  /** Where the line meets the two boxes: at the sides that face each other, beside the column. @param {Join} join */
  #ends(join) {
    const [ownColumn, otherColumn] = join.pairs[0] ?? ["", ""];
    const own = this.#side(join.left, ownColumn);
    const other = this.#side(join.right, otherColumn);
    const isLoop = join.left === join.right;
    const isBefore = own.place.x < other.place.x;
    const left = { x: own.place.x + (isBefore || isLoop ? own.place.width : 0), y: own.y };
    const right = { x: other.place.x + (isBefore && !isLoop ? 0 : other.place.width), y: other.y + (isLoop && own.y === other.y ? LINE : 0) };
    return { left, right };
  }

  /** @param {string} name @param {string} column */
  #side(name, column) {
    const place = /** @type {Place} */ (this.laid.places.get(name));
    return { place, y: place.y + /** @type {Box} */ (this.boxes.get(name)).heightOf(column) };
  }
}

/** @param {number} width @param {number} height @param {boolean} isOpen whether something stands below */
function headPath(width, height, isOpen) {
  const below = isOpen ? `V${height} H0` : `V${height - 8} a8 8 0 0 1 -8 8 H8 a8 8 0 0 1 -8 -8`;
  return `M0 8 a8 8 0 0 1 8 -8 H${width - 8} a8 8 0 0 1 8 8 ${below} Z`;
}

/** @param {{x: number, y: number}[]} points */
function curve(points) {
  const parts = [`M${points[0].x} ${points[0].y}`];
  for (let at = 1; at < points.length; at += 1) {
    const [before, now] = [points[at - 1], points[at]];
    const middle = (before.x + now.x) / 2;
    parts.push(`C${middle} ${before.y} ${middle} ${now.y} ${now.x} ${now.y}`);
  }
  return parts.join(" ");
}

/** @param {{x: number, y: number}} begin @param {{x: number, y: number}} end */
function loop(begin, end) {
  const out = Math.max(begin.x, end.x) + LOOP;
  return `M${begin.x} ${begin.y} C${out} ${begin.y} ${out} ${end.y} ${end.x} ${end.y}`;
}

/** A crow's foot for many rows, a bar for one. @param {{x: number, y: number}} end @param {1 | -1} direction away from the box @param {boolean} isMany */
function endPath({ x, y }, direction, isMany) {
  if (!isMany) return `M${x + direction * 7} ${y - 5} v10`;
  return `M${x} ${y - 5} L${x + direction * 10} ${y} L${x} ${y + 5}`;
}
