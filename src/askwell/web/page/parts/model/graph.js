// Joins as a picture: tables as boxes with the columns that join them, lines with how many rows fit to how many.
import { fill, h } from "../../lib/dom.js";
import { t } from "../../lib/text.js";
import { shownName } from "./data.js";
import { laidOut } from "./layout.js";
import { zoomed } from "./zooming.js";
import { joinText } from "./words.js";

/** @typedef {import("./data.js").Join} Join */
/** @typedef {{x: number, y: number}} Point */
/** @typedef {{model: import("./data.js").Model, names: string[], chosen: string, middle: string, onChoose: (name: string) => void, signal: AbortSignal}} Given */

// So many columns stand in a box.
const LINES = 8;
// How far the control points of a join of a table with itself reach.
const LOOP = 44;

/** The picture; its lines are drawn when its boxes are shown, which have their sizes then. @param {Given} given @returns {HTMLElement} */
export function graph(given) {
  const { model, names, signal } = given;
  const joins = model.joins.filter((join) => names.includes(join.left) && names.includes(join.right));
  const boxes = new Map(names.map((name) => [name, box(given, name, joins)]));
  const picture = h("div", { class: "graph-picture" }, [...boxes.values()].map(({ element }) => element));
  const view = h("div", { class: "graph-view", tabindex: "0", role: "application", "aria-label": t("model.graph", { count: names.length }) }, h("div", { "aria-hidden": "true" }, picture));
  const caption = h("p", { class: "graph-caption small muted" });
  const place = h("div", { class: "graph", "aria-busy": "true" }, view);
  const shown = new ResizeObserver(() => {
    if (signal.aborted) shown.disconnect();
    if (signal.aborted || !view.clientWidth) return;
    shown.disconnect();
    const sizes = [...boxes].map(([id, { element }]) => ({ id, width: element.offsetWidth, height: element.offsetHeight }));
    const links = joins.map(({ left, right, cardinality }) => (cardinality === "ONE_TO_MANY" ? { from: right, to: left } : { from: left, to: right }));
    const laid = laidOut(sizes, links);
    for (const { element, name } of boxes.values()) {
      const { x, y } = /** @type {Point} */ (laid.places.get(name));
      Object.assign(element.style, { left: `${x}px`, top: `${y}px` });
    }
    const loops = joins.filter((join) => join.left === join.right).map(({ left }) => laid.places.get(left)).map((one) => (one ? one.x + one.width + LOOP : 0));
    const size = { width: Math.max(laid.width, ...loops), height: laid.height };
    let hint = "";
    const tell = (/** @type {boolean} */ isCut) => {
      hint = t(matchMedia("(pointer: coarse)").matches ? "model.graph.hint.touch" : isCut ? "model.graph.hint.cut" : "model.graph.hint");
      fill(caption, hint);
    };
    const lines = joins.map((join, at) => {
      /** Where a column stands at the side of its box that faces the other one. @param {string} name @param {string} column @param {boolean} isRight */
      const end = (name, column, isRight) => {
        const { x, y, width } = /** @type {import("./layout.js").Place} */ (laid.places.get(name));
        return { x: x + (isRight ? width : 0), y: y + /** @type {ReturnType<typeof box>} */ (boxes.get(name)).heightOf(column) };
      };
      return line(join, laid.ways[at], end, { onpointerenter: () => fill(caption, joinText(join)), onpointerleave: () => fill(caption, hint) });
    });
    picture.prepend(h("svg", { class: "graph-lines", ...size, focusable: "false" }, lines));
    const near = (/** @type {string | null} */ name) => lines.forEach((one, at) => one.classList.toggle("is-near", [joins[at].left, joins[at].right].includes(name ?? "")));
    for (const { element, name } of boxes.values()) {
      element.addEventListener("pointerenter", () => near(name));
      element.addEventListener("pointerleave", () => near(null));
    }
    const buttons = zoomed(view, picture, { size, focus: laid.places.get(given.chosen || given.middle), onSized: tell });
    place.append(h("div", { class: "graph-tools row" }, caption, buttons));
    place.removeAttribute("aria-busy");
  });
  shown.observe(view);
  return place;
}

/** A table as it is drawn: its name and the columns that matter to joins. @param {Given} given @param {string} name @param {Join[]} joins */
function box({ model, chosen, onChoose }, name, joins) {
  const table = /** @type {import("./data.js").Table} */ (model.byName.get(name));
  const joined = joins.flatMap(({ left, right, pairs }) => pairs.flatMap((pair) => pair.filter((_, side) => [left, right][side] === name)));
  const keys = [...new Set([...table.primary_key, ...joined])];
  const rows = keys.slice(0, LINES).map((key) => h("span", { class: `graph-column${table.primary_key.includes(key) ? " is-key" : ""}` }, key));
  if (keys.length > LINES) rows.push(h("span", { class: "graph-column" }, t("model.graph.more", { count: keys.length - LINES })));
  const title = h("strong", { class: "graph-name" }, shownName(table));
  const kind = `is-${table.kind}${name === chosen ? " is-chosen" : ""}`;
  const element = h("div", { class: `graph-box ${kind}`, onclick: () => onChoose(name) }, title, rows);
  const heightOf = (/** @type {string} */ column) => {
    const row = rows[Math.min(keys.indexOf(column), rows.length - 1)] ?? title;
    return row.offsetTop + row.offsetHeight / 2;
  };
  return { name, element, heightOf };
}

/**
 * The line of a join, from the sides of its boxes that face each other.
 * @param {Join} join @param {Point[]} way @param {(name: string, column: string, isRight: boolean) => Point} end
 * @param {Record<string, () => void>} heard
 */
function line({ left, right, pairs, cardinality, is_inferred: isGuessed }, way, end, heard) {
  const [own, other] = pairs[0] ?? ["", ""];
  const isLoop = left === right;
  const isBefore = end(left, own, false).x < end(right, other, false).x;
  const ends = [end(left, own, isLoop || isBefore), end(right, other, isLoop || !isBefore)];
  if (isLoop && ends[0].y === ends[1].y) ends[1].y += 18;
  const sides = cardinality.split("_TO_");
  if (ends[0].x > ends[1].x) [ends, sides].forEach((one) => one.reverse());
  const [begin, last] = ends;
  const d = isLoop ? loop(begin, last) : curve([begin, ...way, last]);
  return h(
    "g",
    { class: `graph-line${isGuessed ? " is-inferred" : ""}`, ...heard },
    ["reach", "way"].map((name) => h("path", { class: `graph-${name}`, d })),
    ends.map((one, at) => h("path", { class: "graph-end", d: foot(one, at === 0 || isLoop ? 1 : -1, sides[at] === "MANY") })),
  );
}

/** @param {Point[]} points */
function curve([first, ...points]) {
  let before = first;
  const parts = points.map((now) => {
    const middle = (before.x + now.x) / 2;
    const part = `C${middle} ${before.y} ${middle} ${now.y} ${now.x} ${now.y}`;
    before = now;
    return part;
  });
  return `M${first.x} ${first.y} ${parts.join(" ")}`;
}

/** @param {Point} begin @param {Point} end */
function loop(begin, end) {
  const out = Math.max(begin.x, end.x) + LOOP;
  return `M${begin.x} ${begin.y} C${out} ${begin.y} ${out} ${end.y} ${end.x} ${end.y}`;
}

/** A crow's foot for many rows, a bar for one. @param {Point} end @param {1 | -1} direction away from the box @param {boolean} isMany */
function foot({ x, y }, direction, isMany) {
  return isMany ? `M${x} ${y - 5} L${x + direction * 10} ${y} L${x} ${y + 5}` : `M${x + direction * 7} ${y - 5} v10`;
}
