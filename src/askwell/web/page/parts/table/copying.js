// Rows as text that spreadsheets and documents take.
import { plainText } from "../../lib/format.js";

// What spreadsheets would take for a formula: https://owasp.org/www-community/attacks/CSV_Injection
const FORMULA = /^[\s\0]*([=\uff1d]|[-+@\uff0d\uff0b\uff20].*?([\p{L}_][\d.]*\s*\(|[!|]))/su;

/** A cell as text that no spreadsheet runs, as in the files that the service writes. @param {unknown} cell */
function inert(cell) {
  const text = plainText(cell);
  return typeof cell === "string" && FORMULA.test(text) ? `'${text}` : text;
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
