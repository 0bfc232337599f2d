// A chart as it fits into its place: its size, which way its bars run, and how much is written on it.
import { t } from "../../lib/text.js";
import { unescaped } from "./controls.js";

// Below this a chart has no room for a legend beside it, nor for many labels in a line.
export const NARROW = 480;
export const TITLE_SIZE = 14;
const LETTER = 6.2;
const HEIGHT = 320;
// The height of a bar with its gap; of bars beside each other, each, and their gap.
const STEP = 24;
const BESIDE = { step: 16, gap: 10 };
// More bars than these have no room for their values.
const FEW_BARS = 12;
// A legend of more than these is not read.
const MOST_KEYS = 16;

/** @typedef {Record<string, any>} Schema Vega-Lite with its rows */

/** @param {Schema} schema @param {number} width of its place, in pixels @param {string} font @returns {Schema} */
export function fitted(schema, width, font) {
  const room = Math.max(200, width - 24);
  const laid = keyed(limited(lying(schema, room), room));
  const title = laid.title && { ...(typeof laid.title === "string" || Array.isArray(laid.title) ? {} : laid.title), text: lines(titleOf(laid), room, font) };
  return labelled({ ...laid, $schema: undefined, title, width: room, height: heightOf(laid), autosize: { type: "fit-x", contains: "padding" } });
}

/** What stands above a chart. @param {Schema} schema @returns {string} */
export function titleOf({ title }) {
  const text = title?.text ?? title ?? "";
  return Array.isArray(text) ? text.join(" ") : String(text);
}

/** @param {any} channel */
function isNamed(channel) {
  return channel?.type === "nominal" || channel?.type === "ordinal";
}

/** @param {Schema} schema */
function markOf({ mark }) {
  return mark?.type ?? mark;
}

/** Whether bars run to the right. @param {Schema} schema */
function isSideways({ encoding = {} }) {
  return isNamed(encoding.y) && encoding.x?.type === "quantitative";
}

/** The different values of a channel. @param {Schema} schema @param {any} channel @returns {string[]} */
function shownOn(schema, channel) {
  if (!channel?.field) return [];
  const name = unescaped(channel.field);
  const fold = schema.transform?.find((/** @type {any} */ one) => one.fold?.length && one.as?.[0] === name);
  const values = fold ? fold.fold : (schema.data?.values ?? []).map((/** @type {any} */ row) => row[name]);
  return [...new Set([...(Array.isArray(channel.scale?.domain) ? channel.scale.domain : []), ...values].map(String))];
}

/** Not in steps: Vega-Lite cannot fit the width of a chart whose height is in steps. @param {Schema} schema */
function heightOf(schema) {
  if (!isSideways(schema)) return HEIGHT;
  const { y, yOffset } = schema.encoding;
  const beside = shownOn(schema, yOffset).length;
  return Math.max(1, shownOn(schema, y).length) * (beside > 1 ? beside * BESIDE.step + BESIDE.gap : STEP);
}

/** Upright bars lie where there is little room, and their labels would not stand side by side. @param {Schema} schema @param {number} width @returns {Schema} */
function lying(schema, width) {
  const { x, y, xOffset, ...others } = schema.encoding ?? {};
  const isUpright = markOf(schema) === "bar" && isNamed(x) && !x.timeUnit && y?.type === "quantitative";
  if (width >= NARROW || !isUpright || areSideBySide(shownOn(schema, x), width - 50)) return schema;
  const axis = { ...x.axis };
  delete axis.labelAngle;
  delete axis.labelOverlap;
  const names = { ...x, axis, sort: TURNED.get(x.sort) ?? x.sort };
  return { ...schema, encoding: { ...others, x: y, y: names, ...(xOffset && { yOffset: xOffset }) } };
}

// Bars that were sorted by what stands on one axis are sorted by the other.
const TURNED = new Map([["-y", "-x"], ["y", "x"]]);

/** @param {string[]} labels @param {number} width */
function areSideBySide(labels, width) {
  const longest = Math.max(0, ...labels.map((label) => label.length)) * LETTER + 8;
  return longest <= width / Math.max(1, labels.length);
}

/** Names beside bars leave room for the bars. @param {Schema} schema @param {number} width @returns {Schema} */
function limited(schema, width) {
  if (!isSideways(schema)) return schema;
  const { y } = schema.encoding;
  const labelLimit = Math.min(y.axis?.labelLimit ?? 160, Math.round(width * 0.38));
  const axis = { ...y.axis, labelLimit, ...(y.axis?.maxExtent && { maxExtent: labelLimit + 8 }) };
  // On a narrow screen the title above says what the names are.
  return { ...schema, encoding: { ...schema.encoding, y: { ...y, axis, ...(width < NARROW && { title: null }) } } };
}

/** A legend of the largest, where there are more than anybody reads. @param {Schema} schema @returns {Schema} */
function keyed(schema) {
  const { color } = schema.encoding ?? {};
  if (!isNamed(color) || color.timeUnit || shownOn(schema, color).length <= MOST_KEYS) return schema;
  const all = largest(schema, unescaped(color.field));
  const title = t("chart.largest", { name: color.title ?? unescaped(color.field), shown: MOST_KEYS, count: all.length }).split("\n");
  const legend = { ...color.legend, title, values: all.slice(0, MOST_KEYS) };
  return { ...schema, encoding: { ...schema.encoding, color: { ...color, title: undefined, legend } } };
}

/** The values of a column, those with the largest amounts first. @param {Schema} schema @param {string} name @returns {unknown[]} */
function largest({ encoding, data }, name) {
  const amount = unescaped([encoding.theta, encoding.y, encoding.x].find((channel) => channel?.type === "quantitative")?.field ?? "");
  const totals = new Map();
  for (const row of data?.values ?? []) totals.set(row[name], (totals.get(row[name]) ?? 0) + Number(row[amount] ?? 0));
  return [...totals].sort(([, a], [, b]) => b - a).map(([one]) => one);
}

/** A few bars have their values at their ends. @param {Schema} schema @returns {Schema} */
function labelled(schema) {
  const { mark, encoding, ...rest } = schema;
  const sideways = isSideways(schema);
  const value = encoding?.[sideways ? "x" : "y"];
  const base = sideways ? "y" : "x";
  if (!isPlain(schema) || !value?.field || shownOn(schema, encoding[base]).length > FEW_BARS) return schema;
  if (hasNegatives(schema, unescaped(value.field))) return schema;
  const text = { field: value.field, type: "quantitative", aggregate: value.aggregate, format: value.axis?.format };
  const place = sideways ? { align: "left", baseline: "middle", dx: 5 } : { align: "center", baseline: "bottom", dy: -4 };
  const names = { ...encoding[base], sort: sortedBy(encoding[base].sort, value) };
  return { ...rest, encoding: { ...encoding, [base]: names }, layer: [{ mark }, { mark: { type: "text", ...place }, encoding: { text } }] };
}

/** What is sorted by an axis, in words that layers can share. @param {any} sort @param {any} value the channel of amounts */
function sortedBy(sort, value) {
  if (typeof sort !== "string" || !/^-?[xy]$/.test(sort)) return sort;
  return { field: value.field, op: value.aggregate ?? "sum", order: sort.startsWith("-") ? "descending" : "ascending" };
}

/** @param {Schema} schema @param {string} name of a column */
function hasNegatives({ data }, name) {
  return (data?.values ?? []).some((/** @type {any} */ row) => Number(row[name]) < 0);
}

/** Whether these are bars of one amount each, and nothing else. @param {Schema} schema */
function isPlain({ mark, encoding = {}, transform }) {
  const { x, y, color, xOffset, yOffset } = encoding;
  return markOf({ mark }) === "bar" && (isNamed(x) || isNamed(y)) && ![color, xOffset, yOffset, transform].some(Boolean);
}

/** A title in as many lines as it takes. @param {string} text @param {number} width @param {string} font */
function lines(text, width, font) {
  const measure = /** @type {OffscreenCanvasRenderingContext2D} */ (new OffscreenCanvas(1, 1).getContext("2d"));
  measure.font = `600 ${TITLE_SIZE}px ${font}`;
  const [first = "", ...words] = text.split(" ");
  const made = [first];
  for (const word of words) {
    const longer = `${made[made.length - 1]} ${word}`;
    if (measure.measureText(longer).width > width) made.push(word);
    else made[made.length - 1] = longer;
  }
  return made;
}

const NAMES = /** @type {const} */ ({ bar: "chart.bar", line: "chart.line", area: "chart.area", arc: "chart.pie" });

/** What a chart is called for those who do not see it: its kind, what is shown by what, and how much. @param {Record<string, any>} schema @param {string} kind as the service calls it, "" where it does not @param {string} question */
export function nameOf(schema, kind, question) {
  const mark = /** @type {keyof typeof NAMES} */ (schema.mark?.type ?? schema.mark);
  const key = kind ? `chart.${kind}` : (NAMES[mark] ?? "tab.chart");
  const said = t("chart.label", { kind: t(/** @type {any} */ (key)), title: titleOf(schema) || question });
  return [said, amounts(schema), t("chart.label.table")].filter(Boolean).join(" ");
}

/** How many values are drawn, from which to which; "" where Vega puts them together. @param {Record<string, any>} schema */
function amounts({ encoding = {}, transform, data }) {
  const value = encoding.theta ?? [encoding.y, encoding.x].find((channel) => channel?.type === "quantitative");
  if (!value?.field || value.aggregate || transform) return "";
  const name = unescaped(value.field);
  const numbers = (data?.values ?? []).map((/** @type {any} */ row) => row[name]).filter((/** @type {unknown} */ one) => typeof one === "number");
  if (numbers.length === 0) return "";
  const [low, high] = [Math.min(...numbers), Math.max(...numbers)];
  return t("chart.label.values", { count: numbers.length, low, high });
}
