// Values as people read them, in their own locale; never in a way that changes them.
import { t } from "./text.js";

/** `decimals` is how many a column's figures are shown with at least. @typedef {{name: string, type: string, heading?: string, decimals?: number}} Column */

const NUMERIC = /^(U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?\d*|DECIMAL|NUMERIC|NUMBER|DOUBLE|FLOAT\d*|REAL|LONG|SHORT|BYTE|MONEY)\b/i;
const MOMENT = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}(:\d{2})?)(\.\d+)?(Z|[+-]\d{2}:?\d{2})?$/;
const DIGITS = /^-?\d+(\.\d+)?$/;
const BINARY = /^(DOUBLE|FLOAT\d*|REAL)\b/i;
// How names of columns end whose figures are not amounts.
const LABELS = new Set(["id", "ids", "year", "years", "yr", "zip", "code", "codes", "phone", "no", "nr", "key", "keys"]);
// The digits that a binary number holds for sure (IEEE 754, double precision), and how long a fraction may be that
// somebody wrote down; a longer one was computed, and is shown to so many digits.
const SURE_DIGITS = 15;
// What noise adds to a number, in digits.
const LEAST_NOISE = 3;
// From here on those digits do not reach the fraction: nothing is noise.
const ALL_SURE = 10 ** SURE_DIGITS;
const WRITTEN = 6;
// How far, in parts of itself, a number may be from one that was written down, for what adding up did to it.
const NOISE = 1e-13;
const SHOWN = 4;

/** What a column is called above its values: total_amount is "Total amount". @param {Column} column */
export function heading({ name, heading: said }) {
  if (said !== undefined) return said;
  const words = readable(name.replaceAll("_", " ").trim()) || name;
  return words[0] === words[0].toLowerCase() ? words[0].toUpperCase() + words.slice(1) : words;
}

/** @param {Column} column */
export function isNumeric(column) {
  return NUMERIC.test(column.type);
}

/**
 * A cell as text: figures with the separators of the locale, dates as ISO writes them, nothing else changed.
 * @param {unknown} value
 * @param {Column} column
 */
export function cellText(value, column) {
  if (value === null || value === undefined) return "";
  if (isNumeric(column) && (typeof value === "number" || (typeof value === "string" && DIGITS.test(value)))) return figure(value, column);
  return typeof value === "string" && MOMENT.test(value) ? moment(value) : readable(plainText(value));
}

// So many decimals are made equal: those of money. Longer ones are measured, each as finely as it is.
const MONEY = 2;

/** How many decimals a column's figures have at most, so that all can be shown with as many; 0 where one has more than money has. @param {Column} column @param {unknown[]} values */
export function decimalsOf(column, values) {
  if (!isNumeric(column)) return 0;
  const most = Math.max(0, ...values.map((one) => cellText(one, column).split(POINT)[1]?.length ?? 0));
  return most > MONEY ? 0 : most;
}

/** @param {number | string} value @param {Column} column */
function figure(value, { name, type, decimals = 0 }) {
  // What came as text has more digits than a binary number holds.
  const digits = typeof value === "number" && BINARY.test(type) ? shortened(value) : String(value);
  return isLabel(name) || !DIGITS.test(digits) ? digits : grouped(digits, decimals);
}

/** Whether a column's figures are read as they are written, as years and ids are. @param {string} name */
function isLabel(name) {
  const words = name.replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase().split(/[^a-z]+/);
  return LABELS.has(words.filter(Boolean).at(-1) ?? "");
}

/** A binary number without the noise of its arithmetic: 598.58 for 598.5799999999999. @param {number} value */
function shortened(value) {
  if (Number.isInteger(value) || Math.abs(value) >= ALL_SURE) return String(value);
  const sure = Number(value.toPrecision(SURE_DIGITS));
  const fraction = String(sure).split(".")[1] ?? "";
  if (fraction.length <= WRITTEN || String(sure).includes("e")) return String(sure);
  return String(Math.abs(sure) < 1 ? Number(sure.toPrecision(SHOWN)) : Number(sure.toFixed(SHOWN)));
}

/**
 * A cell as copies have it: as it came, but for a binary number without the noise of its arithmetic. Unlike in the table, digits
 * that are none stay.
 * @param {unknown} value @param {Column} column
 */
export function withoutNoise(value, column) {
  if (typeof value !== "number" || !BINARY.test(column.type)) return value;
  const short = Number(value.toFixed(WRITTEN));
  if (Math.abs(short - value) <= Math.abs(value) * NOISE) return short;
  const sure = Number(value.toPrecision(SURE_DIGITS));
  // Fewer digits by far: the last ones were noise. A third has no end, and keeps all that it has.
  return String(sure).length + LEAST_NOISE < String(value).length ? sure : value;
}

/**
 * The value of a result that is one figure, as people read it; null for other results.
 * @param {{columns: Column[], rows: unknown[][]}} data
 */
export function oneValue({ columns, rows }) {
  if (rows.length !== 1 || columns.length !== 1) return null;
  const value = rows[0][0];
  const text = value === null ? t("null") : cellText(value, columns[0]);
  return text.length > 60 ? null : text;
}

/** A value as copies have it: whole, and as it came. @param {unknown} value */
export function plainText(value) {
  if (value === null || value === undefined) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

const POINT = new Intl.NumberFormat().formatToParts(0.5)[1].value;
/** By how many decimals they show. @type {Map<number, Intl.NumberFormat>} */
const formats = new Map();

/** Digits with separators. As text, since decimals have more digits than JavaScript's numbers. @param {string} digits @param {number} least how many decimals there are at least */
function grouped(digits, least) {
  const decimals = Math.min(100, Math.max(least, digits.split(".")[1]?.length ?? 0));
  const format = formats.get(decimals) ?? new Intl.NumberFormat(undefined, { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
  formats.set(decimals, format);
  return format.format(/** @type {Intl.StringNumericLiteral} */ (digits));
}

/** Midnight of a day is the day, unless it is that of a time zone. @param {string} value */
function moment(value) {
  const [, day, time, , fraction = "", zone = ""] = /** @type {RegExpMatchArray} */ (value.match(MOMENT));
  const isDay = /^00:00(:00)?$/.test(time) && /^\.?0*$/.test(fraction) && !zone;
  return isDay ? day : `${day} ${time}${fraction}${zone}`;
}

// Letters that are not seen and turn around what is: https://www.unicode.org/reports/tr9/
const TURNING = /[\u202a-\u202e\u2066-\u2069]/g;

// Letters without a width. Those that join and part letters are needed in emoji, and where letters have joined forms.
const UNSEEN = /[\u200b-\u200d\u2060\ufeff]+/g;
const JOINING = /^[\u200c\u200d]+$/;
const NEEDS_NONE = /^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}0-9]$/u;
const MAY_NEED = /^[\p{L}\p{M}\p{Extended_Pictographic}\u{1f3fb}-\u{1f3ff}\ufe0f]$/u;

/** A text in which what would turn it around, and what is not seen between letters, is written out. @param {string} text */
export function readable(text) {
  return text.replace(TURNING, written).replace(UNSEEN, (found, at, whole) => {
    const beside = [[...whole.slice(Math.max(0, at - 2), at)].at(-1) ?? "", [...whole.slice(at + found.length, at + found.length + 2)][0] ?? ""];
    const isPlain = beside.some((one) => NEEDS_NONE.test(one));
    const isNeeded = JOINING.test(found) && beside.some((one) => MAY_NEED.test(one) && !NEEDS_NONE.test(one));
    return isPlain && !isNeeded ? [...found].map(written).join("") : found;
  });
}

/** @param {string} letter */
function written(letter) {
  return `\u2039U+${letter.charCodeAt(0).toString(16).toUpperCase()}\u203a`;
}

/** @type {[Intl.RelativeTimeFormatUnit, number][]} */
const UNITS = [["day", 86_400], ["hour", 3_600], ["minute", 60]];

/** @param {string} iso a moment as the service tells it */
export function ago(iso) {
  const seconds = (Date.parse(iso) - Date.now()) / 1000;
  const [unit, size] = UNITS.find(([, least]) => Math.abs(seconds) >= least) ?? ["second", 1];
  return new Intl.RelativeTimeFormat(undefined, { numeric: "auto" }).format(Math.round(seconds / size), unit);
}

/** @param {number} milliseconds */
export function duration(milliseconds) {
  const digits = milliseconds < 10_000 ? 1 : 0;
  return `${(milliseconds / 1000).toLocaleString(undefined, { minimumFractionDigits: digits, maximumFractionDigits: digits })} s`;
}

/** An amount of dollars, which may be less than a cent. @param {unknown} amount what is no number stands as it is */
export function dollars(amount) {
  return typeof amount === "number" ? amount.toFixed(4) : plainText(amount);
}
