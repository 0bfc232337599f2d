// The order and the choice of rows: by what a column holds, and by words that stand in them.
import { cellText, isNumeric } from "../../lib/format.js";

/** @typedef {import("../../lib/format.js").Column} Column */
/** @typedef {{column: number, isDescending: boolean} | null} Sort */

const DECIMAL = /^([+-]?)0*(\d*)(?:\.(\d*?)0*)?$/;
const collator = new Intl.Collator(undefined, { numeric: true });

/**
 * The numbers of rows, sorted. Rows without a value come last whichever way they are sorted, and equal ones stay in order.
 * @param {number[]} rows @param {unknown[][]} cells @param {Column[]} columns @param {Sort} sort
 */
export function sorted(rows, cells, columns, sort) {
  if (sort === null) return [...rows].sort((a, b) => a - b);
  const { column, isDescending } = sort;
  const compare = isNumeric(columns[column]) ? compareNumbers : compareTexts;
  const sign = isDescending ? -1 : 1;
  return [...rows].sort((a, b) => {
    const [left, right] = [cells[a][column], cells[b][column]];
    const isMissing = Number(left === null) - Number(right === null);
    return isMissing || (left === null ? a - b : sign * compare(left, right) || a - b);
  });
}

/** @param {unknown} left @param {unknown} right */
function compareTexts(left, right) {
  return collator.compare(String(left), String(right));
}

/**
 * Decimals come as text because they have more digits than JavaScript's numbers: they are compared digit by digit.
 * @param {unknown} left @param {unknown} right
 */
function compareNumbers(left, right) {
  const [a, b] = [DECIMAL.exec(String(left)), DECIMAL.exec(String(right))];
  if (!a || !b) return ordinary(Number(left), Number(right));
  const [signA, signB] = [signOf(a), signOf(b)];
  return signA !== signB ? signA - signB : signA * magnitude(a, b);
}

/** Not a number comes after all numbers. @param {number} a @param {number} b */
function ordinary(a, b) {
  if (Number.isNaN(a) || Number.isNaN(b)) return Number(Number.isNaN(a)) - Number(Number.isNaN(b));
  return a < b ? -1 : Number(a > b);
}

/** @param {RegExpExecArray} digits */
function signOf([, sign, whole, fraction]) {
  if (!whole && !fraction) return 0;
  return sign === "-" ? -1 : 1;
}

/** @param {RegExpExecArray} a @param {RegExpExecArray} b */
function magnitude([, , wholeA, fractionA = ""], [, , wholeB, fractionB = ""]) {
  if (wholeA.length !== wholeB.length) return wholeA.length - wholeB.length;
  const [left, right] = [`${wholeA}.${fractionA}`, `${wholeB}.${fractionB}`];
  return left < right ? -1 : Number(left > right);
}

/**
 * The numbers of the rows in which these words stand, in any case and any column; for `sliced`.
 * @param {string} words @param {unknown[][]} cells @param {Column[]} columns
 * @returns {Generator<void, number[]>}
 */
export function* holding(words, cells, columns) {
  const wanted = words.trim().toLocaleLowerCase();
  const found = [];
  for (let row = 0; row < cells.length; row += 1) {
    if (!wanted || cells[row].some((value, at) => cellText(value, columns[at]).toLocaleLowerCase().includes(wanted))) found.push(row);
    yield;
  }
  return found;
}
