// Rows as text that spreadsheets and documents take.
import { plainText } from "../../lib/format.js";

// What spreadsheets would take for a formula: https://owasp.org/www-community/attacks/CSV_Injection
// `_FORMULA` of row_files/text.py in JavaScript.
const ENDS = "\\n\\r\\v\\f\\x1c-\\x1e\\x85\\u2028\\u2029";
const LEFT_OUT = `[ \\t\\xa0\\u1680\\u2000-\\u200a\\u202f\\u205f\\u3000\\x00-\\x08\\x1f\\xad\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u2064\\ufeff"]|%0[9ad]`;
const HARMLESS = `(?:[\\-+]*|[\\d.,:' \\u00a0\\u202f()$€£¥%]*(?:e[\\-+]?\\d+)?|[\\-+]*[ \\t]+[\\p{L}_][^;${ENDS}()!|&^*\\/=<>+]*)(?=[;${ENDS}]|$)`;
const BEGINS = `(?:[=@\\uff1d\\uff20]|[\\-+\\uff0d\\uff0b](?!${HARMLESS}))`;
const FORMULA = new RegExp(`^(?=(?:[${ENDS}]|${LEFT_OUT})*${BEGINS})|(?<=[;${ENDS}])(?=(?:${LEFT_OUT})*${BEGINS})`, "giu");

/** A cell as text that no spreadsheet runs, as in the files that the service writes. @param {unknown} cell */
function inert(cell) {
  const text = plainText(cell);
  return typeof cell === "string" ? text.replace(FORMULA, "'") : text;
}

/** @param {unknown[][]} rows */
export function tsv(rows) {
  return rows.map((row) => row.map((cell) => inert(cell).replace(/[\t\r\n]+/g, " ")).join("\t")).join("\n");
}

/** As RFC 4180 has it. @param {unknown[][]} rows */
export function csv(rows) {
  return rows.map((row) => row.map((cell) => quoted(inert(cell))).join(",")).join("\r\n");
}

/** @param {string} text */
function quoted(text) {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

// What would be a link, a picture, an element or a form of letters where it is pasted: https://spec.commonmark.org
const MARKUP = /[\\`*_[\]<>|]/g;

/** @param {string[]} names @param {unknown[][]} rows */
export function markdown(names, rows) {
  const line = (/** @type {unknown[]} */ cells) => `| ${cells.map((cell) => plainText(cell).replace(MARKUP, "\\$&").replace(/\s+/g, " ")).join(" | ")} |`;
  return [line(names), line(names.map(() => "---")), ...rows.map(line)].join("\n");
}
