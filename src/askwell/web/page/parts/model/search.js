// Searching in a model: over everything that stands in it, with what was found marked.
import { h } from "../../lib/dom.js";
import { shownName } from "./data.js";

/** @typedef {import("./data.js").Table} Table */
/** @typedef {"display" | "synonym" | "column" | "description" | "value"} Place */
/** @typedef {{place: Place, column: string, text: string}} Found */

// A description or a value may be a page long: only so much of it stands beside a hit.
const AROUND = 40;

/** The words that are searched for. @param {string} text */
export function wordsOf(text) {
  return text.toLowerCase().split(/\s+/).filter(Boolean).slice(0, 12);
}

/**
 * A function that finds the tables in which all of some words stand, those that are called so first.
 * @param {Table[]} tables
 */
export function searcher(tables) {
  /** Everything that stands in a table, in lower case; put together when it is first searched. @type {Map<Table, string>} */
  const texts = new Map();
  return (/** @type {string[]} */ words) => {
    for (const table of texts.size ? [] : tables) texts.set(table, textOf(table));
    const found = tables.filter((table) => words.every((word) => texts.get(table)?.includes(word)));
    const ranks = new Map(found.map((table) => [table, rank(table, words)]));
    return found.sort((one, other) => Number(ranks.get(one)) - Number(ranks.get(other)));
  };
}

/** @param {Table} table */
function textOf(table) {
  const parts = [...namesOf(table), table.description];
  for (const column of table.columns) parts.push(...namesOf(column), column.description, column.unit, column.expression, ...(column.values ?? []));
  return parts.filter(Boolean).join("\n").toLowerCase();
}

/** @param {Table | import("./data.js").Column} one */
function namesOf(one) {
  return [one.name, one.display_name, ...one.synonyms];
}

/** @param {Table} table @param {string[]} words */
function rank(table, words) {
  const names = namesOf(table).join("\n").toLowerCase();
  const isCalled = words.every((word) => names.includes(word));
  if (isCalled) return 0;
  const columns = table.columns.map((column) => `${column.name}\n${column.display_name ?? ""}`).join("\n").toLowerCase();
  return words.some((word) => names.includes(word) || columns.includes(word)) ? 1 : 2;
}

/**
 * Where in a table a word stands that its name does not have; null where its name has all.
 * @param {Table} table @param {string[]} words
 * @returns {Found | null}
 */
export function whereFound(table, words) {
  const shown = `${table.name}\n${shownName(table)}`.toLowerCase();
  const missing = words.filter((word) => !shown.includes(word));
  if (!missing.length) return null;
  for (const [place, column, text] of placesOf(table)) {
    const lower = text.toLowerCase();
    const word = missing.find((one) => lower.includes(one));
    if (word !== undefined) return { place, column, text: around(text, lower.indexOf(word)) };
  }
  return null;
}

/** @param {Table} table @returns {Generator<[Place, string, string]>} */
function* placesOf(table) {
  for (const synonym of table.synonyms) yield ["synonym", "", synonym];
  for (const column of table.columns) {
    yield ["column", "", column.name];
    if (column.display_name) yield ["display", column.name, column.display_name];
    for (const synonym of column.synonyms) yield ["synonym", column.name, synonym];
  }
  if (table.description) yield ["description", "", table.description];
  for (const column of table.columns) {
    for (const text of [column.description, column.unit, column.expression]) if (text) yield ["description", column.name, text];
    for (const value of column.values ?? []) yield ["value", column.name, value];
  }
}

/** @param {string} text @param {number} at */
function around(text, at) {
  const begin = at > AROUND ? at - AROUND / 2 : 0;
  const end = Math.min(text.length, begin + 3 * AROUND);
  return `${begin > 0 ? "…" : ""}${text.slice(begin, end)}${end < text.length ? "…" : ""}`;
}

/**
 * A text with the words marked in it.
 * @param {string} text @param {string[]} words in lower case
 * @returns {import("../../lib/dom.js").Child[]}
 */
export function marked(text, words) {
  if (!words.length) return [text];
  const longest = words.toSorted((one, other) => other.length - one.length);
  const any = new RegExp(`(${longest.map((word) => word.replace(/[$()*+./?[\\\]^{|}-]/g, "\\$&")).join("|")})`, "gi");
  return text.split(any).map((part, at) => (at % 2 ? h("mark", null, part) : part));
}
