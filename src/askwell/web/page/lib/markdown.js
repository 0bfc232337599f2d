// Markdown as language models write it, made into elements: paragraphs, headings, lists, quotations, code, tables,
// emphasis, and links to the web. Nothing of it becomes markup or is fetched: pictures and HTML stay text. The time
// grows with the length of the text, whatever stands in it.
// Syntax: https://spec.commonmark.org, as far as it says the same to everybody.
import { h } from "./dom.js";
import { inline } from "./markdown-inline.js";

/** @typedef {import("./dom.js").Child} Child */

// What is nested deeper stays on this level.
const DEEPEST = 6;
const FENCE = /^ {0,3}(`{3,}|~{3,})\s*(\S{0,40})/;
const HEADING = /^ {0,3}#{1,6}\s+(.*)$/;
const RULE = /^ {0,3}(?:(?:-\s*){3,}|(?:\*\s*){3,}|(?:_\s*){3,})$/;
const QUOTE = /^ {0,3}> ?(.*)$/;
const ITEM = /^( *)([-*+]|\d{1,9}[.)])(\s+)(\S.*)$/;
const DELIMITER = /^:?-+:?$/;

/**
 * @param {string} text
 * @returns {Child[]}
 */
export function markdown(text) {
  return blocks(text.replace(/\r\n?/g, "\n").replaceAll("\t", "    ").split("\n"), 0);
}

/** Lines, read from the first to the last. */
class Lines {
  /** @param {string[]} all */
  constructor(all) {
    this.all = all;
    this.at = 0;
  }

  get hasMore() {
    return this.at < this.all.length;
  }

  get now() {
    return this.all[this.at] ?? "";
  }

  /** Take lines while they are such. @param {(line: string) => boolean} isSuch */
  while(isSuch) {
    const from = this.at;
    while (this.hasMore && isSuch(this.now)) this.at += 1;
    return this.all.slice(from, this.at);
  }
}

/** @param {string[]} all @param {number} depth @returns {Child[]} */
function blocks(all, depth) {
  const lines = new Lines(all);
  /** @type {Child[]} */
  const made = [];
  while (lines.hasMore) {
    if (lines.now.trim() === "") lines.at += 1;
    else made.push(block(lines, depth));
  }
  return made;
}

/** The block that begins here. @param {Lines} lines @param {number} depth @returns {Child} */
function block(lines, depth) {
  const line = lines.now;
  if (FENCE.test(line)) return fenced(lines);
  if (RULE.test(line)) {
    lines.at += 1;
    return h("hr");
  }
  const heading = line.match(HEADING);
  if (heading) {
    lines.at += 1;
    // Which level a heading has is not known here: the page has its own headings around it.
    return h("p", { class: "md-heading" }, inline(heading[1].replace(/\s#+\s*$/, "")));
  }
  if (isTable(lines)) return table(lines);
  if (depth < DEEPEST && QUOTE.test(line)) {
    const quoted = lines.while((one) => QUOTE.test(one));
    return h("blockquote", { class: "md-quote" }, blocks(quoted.map((one) => one.replace(QUOTE, "$1")), depth + 1));
  }
  if (depth < DEEPEST && ITEM.test(line)) return list(lines, depth);
  lines.at += 1;
  const paragraph = [line, ...lines.while((one) => one.trim() !== "" && !begins(one))];
  return h("p", { class: "md-text" }, inline(paragraph.map((one) => one.trim()).join("\n")));
}

/** Whether something other than a paragraph begins with this line. @param {string} line */
function begins(line) {
  return FENCE.test(line) || HEADING.test(line) || QUOTE.test(line) || ITEM.test(line) || RULE.test(line) || line.trimStart().startsWith("|");
}

/** @param {Lines} lines */
function fenced(lines) {
  const [, fence] = /** @type {RegExpMatchArray} */ (lines.now.match(FENCE));
  const isEnd = (/** @type {string} */ line) => line.trim().startsWith(fence) && line.trim().replaceAll(fence[0], "") === "";
  lines.at += 1;
  const code = lines.while((line) => !isEnd(line));
  lines.at += 1;
  return h("pre", { class: "md-code", tabindex: "0", dir: "ltr" }, h("code", null, code.join("\n")));
}

/** @param {Lines} lines @param {number} depth */
function list(lines, depth) {
  const [, indent, mark] = /** @type {RegExpMatchArray} */ (lines.now.match(ITEM));
  const isOrdered = /\d/.test(mark);
  const start = isOrdered ? Number.parseInt(mark, 10) : 1;
  const items = [];
  for (;;) {
    const found = lines.now.match(ITEM);
    if (!found || found[1].length !== indent.length || /\d/.test(found[2]) !== isOrdered) break;
    lines.at += 1;
    const inner = indent.length + found[2].length + found[3].length;
    // What belongs to an item is indented; empty lines are, where what follows them is.
    const within = lines.while((line) => line.trim() === "" || line.search(/\S/) > indent.length);
    items.push(h("li", null, loose(blocks([found[4], ...within.map((line) => dedented(line, inner))], depth + 1))));
  }
  return isOrdered ? h("ol", { class: "md-list", start }, items) : h("ul", { class: "md-list" }, items);
}

/** An item of one paragraph has no paragraph. @param {Child[]} made */
function loose(made) {
  const [first, ...more] = made;
  return first instanceof HTMLElement && first.className === "md-text" ? [...first.childNodes, ...more] : made;
}

/** @param {string} line @param {number} by */
function dedented(line, by) {
  const blank = line.search(/\S/);
  return line.slice(Math.min(blank < 0 ? line.length : blank, by));
}

/** @param {Lines} lines */
function isTable(lines) {
  const under = lines.all[lines.at + 1] ?? "";
  if (!lines.now.includes("|") || !under.includes("-")) return false;
  const delimiters = cells(under);
  return delimiters.every((one) => DELIMITER.test(one)) && delimiters.length === cells(lines.now).length;
}

/** @param {Lines} lines */
function table(lines) {
  const names = cells(lines.now);
  const sides = cells(lines.all[lines.at + 1]).map((one) => (one.endsWith(":") && !one.startsWith(":") ? "is-number" : null));
  lines.at += 2;
  const rows = lines.while((line) => line.includes("|")).map(cells);
  const head = h("tr", null, names.map((name, at) => h("th", { class: sides[at], scope: "col", dir: "auto" }, inline(name))));
  const body = rows.map((row) => h("tr", null, names.map((_, at) => h("td", { class: sides[at], dir: "auto" }, inline(row[at] ?? "")))));
  return h("div", { class: "scrolls", tabindex: "0" }, h("table", { class: "plain-table" }, h("thead", null, head), h("tbody", null, body)));
}

/** The cells of a line of a table. @param {string} line */
function cells(line) {
  const found = [""];
  const text = line.trim().replace(/^\|/, "").replace(/(?<!\\)\|$/, "");
  for (const piece of text.match(/\\\||\||[^|\\]+|\\/g) ?? []) {
    if (piece === "|") found.push("");
    else found[found.length - 1] += piece === "\\|" ? "|" : piece;
  }
  return found.map((one) => one.trim());
}
