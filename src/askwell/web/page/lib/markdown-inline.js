// What stands within a block of Markdown: code, emphasis, links. Read once, from the left; marks that are never closed
// stay text.
import { h } from "./dom.js";

/** @typedef {import("./dom.js").Child} Child */

// More open marks than these are text, so that nothing is taken apart again and again.
const DEEPEST = 20;
const LONGEST_ADDRESS = 2_000;
const PIECES = /\\[!-/:-@[-`{-~]|`+|\*+|_+|~~|\[|\]|https?:\/\/[^\s<>"'`\\[\]]+|[^\\`*_~[\]h]+|[^]/g;
const TAGS = new Map([["*", "em"], ["_", "em"], ["**", "strong"], ["__", "strong"], ["~~", "s"]]);
const TARGET = /^\(\s*<?(https?:\/\/[^\s<>()]*(?:\([^\s<>()]*\)[^\s<>()]*)*)>?(?:\s+"[^"]*")?\s*\)/i;
const WORD = /[\p{L}\p{N}]/u;

/** @param {string} text @returns {Child[]} */
export function inline(text) {
  /** What was opened and is not closed yet. @type {{mark: string, children: Child[]}[]} */
  const open = [{ mark: "", children: [] }];
  /** Lengths of runs of ticks that nothing closes any more. @type {Set<number>} */
  const unclosed = new Set();
  const lastOf = (/** @type {string} */ mark) => open.findLastIndex((one) => one.mark === mark);

  /** @param {Child} child */
  function add(child) {
    const children = open[open.length - 1].children;
    const last = children.at(-1);
    if (typeof child === "string" && typeof last === "string") children[children.length - 1] = last + child;
    else children.push(child);
  }

  /** @param {string} mark */
  function begin(mark) {
    if (open.length > DEEPEST) add(mark);
    else open.push({ mark, children: [] });
  }

  /** What was opened from this place on becomes text again. @param {number} from */
  function flatten(from) {
    for (const { mark, children } of open.splice(from)) [mark, ...children].forEach(add);
  }

  /** Take out what stands between the last such mark and here. @param {string} mark @returns {Child[]} */
  function closed(mark) {
    flatten(lastOf(mark) + 1);
    return open.pop()?.children ?? [];
  }

  /** Where the piece ends that is code from here on; nothing where these ticks are text. @param {string} run @param {number} end */
  function code(run, end) {
    const closer = new RegExp(`(?<!\`)${run}(?!\`)`, "g");
    closer.lastIndex = end;
    const found = unclosed.has(run.length) ? null : closer.exec(text);
    if (found === null) {
      unclosed.add(run.length);
      return add(run);
    }
    const shown = text.slice(end, found.index).replaceAll("\n", " ");
    add(h("code", null, /^ .*\S.* $/.test(shown) ? shown.slice(1, -1) : shown));
    return closer.lastIndex;
  }

  /** A run of marks closes what is open, as far as it does, and opens the rest. @param {string} run @param {number} at */
  function emphasis(run, at) {
    const [before, after] = [text[at - 1] ?? " ", text[at + run.length] ?? " "];
    const isWithin = run[0] === "_" && WORD.test(before) && WORD.test(after);
    let left = run;
    while (/\S/.test(before) && !isWithin) {
      const marks = [open[open.length - 1].mark, left.slice(0, 2), left.slice(0, 1)];
      const mark = marks.find((one) => one && TAGS.has(one) && left.startsWith(one) && lastOf(one) > 0);
      if (!mark) break;
      add(h(/** @type {string} */ (TAGS.get(mark)), null, closed(mark)));
      left = left.slice(mark.length);
    }
    if (left.length > 3 || isWithin || !/\S/.test(after)) return add(left);
    left.match(/..?/g)?.forEach((mark) => begin(mark));
  }

  /** What a closing bracket ends: a link, or what was in brackets. @param {number} end */
  function link(end) {
    if (lastOf("[") < 0) return add("]");
    const target = text[end] === "(" ? text.slice(end, end + LONGEST_ADDRESS).match(TARGET) : null;
    if (target === null) {
      flatten(lastOf("["));
      return add("]");
    }
    const children = closed("[");
    // There is no link within a link.
    const outer = open.findIndex((one) => one.mark === "[");
    if (outer > 0) flatten(outer);
    add(anchor(target[1], children));
    return end + target[0].length;
  }

  /** An address by itself, and not the words of a link. @param {string} piece @param {number} at */
  function address(piece, at) {
    if (piece.length < 9 || !piece.startsWith("http") || lastOf("[") > 0 || WORD.test(text[at - 1] ?? "")) return add(piece);
    const found = piece.slice(0, LONGEST_ADDRESS).replace(/[*_~.,:;!?)\]]{1,100}$/, "");
    add(anchor(found, [found]));
    return at + found.length;
  }

  /** Take a piece; where the next one begins, if that is not behind it. @param {string} piece @param {number} at */
  function take(piece, at) {
    if (piece[0] === "`") return code(piece, at + piece.length);
    if (/^[*_]|^~~/.test(piece)) return emphasis(piece, at);
    if (piece === "[") return begin(piece);
    if (piece === "]") return link(at + 1);
    return piece[0] === "\\" ? add(piece[1] ?? piece) : address(piece, at);
  }

  const pieces = new RegExp(PIECES);
  for (let found = pieces.exec(text); found; found = pieces.exec(text)) pieces.lastIndex = take(found[0], found.index) ?? pieces.lastIndex;
  flatten(1);
  return open[0].children;
}

/** Where it leads stands in its title, since its words may say something else. @param {string} address @param {Child[]} children */
function anchor(address, children) {
  return h("a", { href: address, rel: "noreferrer nofollow", target: "_blank", title: address }, children);
}
