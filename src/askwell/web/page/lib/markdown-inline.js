// What stands within a block of Markdown: code, emphasis, links. Read once, from the left; marks that are never closed
// stay text.
import { h } from "./dom.js";

/** @typedef {import("./dom.js").Child} Child */
/** What was opened and is not closed yet. @typedef {{mark: string, children: Child[]}} Open */

// More open marks than these are text, so that nothing is taken apart again and again.
const DEEPEST = 20;
const LONGEST_ADDRESS = 2_000;
const PIECES = /\\[!-/:-@[-`{-~]|`+|\*+|_+|~~|\[|\]|https?:\/\/[^\s<>"'`\\[\]]+|[^\\`*_~[\]h]+|[^]/g;
const TAGS = new Map([["*", "em"], ["_", "em"], ["**", "strong"], ["__", "strong"], ["~~", "s"]]);
const WORD = /[\p{L}\p{N}]/u;

/** @param {string} text @returns {Child[]} */
export function inline(text) {
  return new Reader(text).read();
}

class Reader {
  /** @param {string} text */
  constructor(text) {
    this.text = text;
    /** @type {Open[]} */
    this.open = [{ mark: "", children: [] }];
    /** How many of each mark are open. @type {Map<string, number>} */
    this.counts = new Map();
    this.closers = ticks(text);
  }

  read() {
    const pieces = new RegExp(PIECES);
    for (let found = pieces.exec(this.text); found; found = pieces.exec(this.text)) {
      pieces.lastIndex = this.#take(found[0], found.index);
    }
    this.#flatten(1);
    return this.open[0].children;
  }

  /** Take a piece, and tell where the next one begins. @param {string} piece @param {number} at */
  #take(piece, at) {
    const end = at + piece.length;
    switch (piece[0]) {
      case "`":
        return this.#code(piece, at);
      case "*":
      case "_":
        return this.#emphasis(piece, at);
      case "[":
        return this.#begin(piece, end);
      case "]":
        return this.#link(end);
      case "~":
        return piece === "~~" ? this.#emphasis(piece, at) : this.#words(piece, end);
      case "\\":
        return this.#words(piece[1] ?? piece, end);
      default:
        return this.#isAddress(piece, at) ? this.#address(piece, at) : this.#words(piece, end);
    }
  }

  /** @param {string} text @param {number} end */
  #words(text, end) {
    this.#add(text);
    return end;
  }

  /** Whether this is an address by itself, and not the words of a link. @param {string} piece @param {number} at */
  #isAddress(piece, at) {
    return piece.length > 8 && piece.startsWith("http") && !this.counts.get("[") && !WORD.test(this.text[at - 1] ?? "");
  }

  /** @param {Child} child */
  #add(child) {
    const { children } = /** @type {Open} */ (this.open.at(-1));
    const last = children.at(-1);
    if (typeof child === "string" && typeof last === "string") children[children.length - 1] = last + child;
    else children.push(child);
  }

  /** @param {string} mark @param {number} end */
  #begin(mark, end) {
    if (this.open.length > DEEPEST) this.#add(mark);
    else {
      this.open.push({ mark, children: [] });
      this.counts.set(mark, (this.counts.get(mark) ?? 0) + 1);
    }
    return end;
  }

  /** What was opened from this place on becomes text again. @param {number} from */
  #flatten(from) {
    const flat = this.open.splice(from);
    for (const { mark, children } of flat) {
      this.counts.set(mark, (this.counts.get(mark) ?? 1) - 1);
      this.#add(mark);
      for (const child of children) this.#add(child);
    }
  }

  /** Take out what stands between the last such mark and here. @param {string} mark @returns {Child[]} */
  #closed(mark) {
    const place = this.open.findLastIndex((one) => one.mark === mark);
    this.#flatten(place + 1);
    this.counts.set(mark, (this.counts.get(mark) ?? 1) - 1);
    return /** @type {Open} */ (this.open.pop()).children;
  }

  /** @param {string} run @param {number} at */
  #code(run, at) {
    const places = this.closers.get(run.length) ?? [];
    while (places.length && places[places.length - 1] <= at) places.pop();
    const close = places.pop();
    if (close === undefined) {
      this.#add(run);
      return at + run.length;
    }
    const code = this.text.slice(at + run.length, close).replaceAll("\n", " ");
    this.#add(h("code", null, /^ .*\S.* $/.test(code) ? code.slice(1, -1) : code));
    return close + run.length;
  }

  /** A run of marks closes what is open, as far as it does, and opens the rest. @param {string} run @param {number} at */
  #emphasis(run, at) {
    const end = at + run.length;
    const [before, after] = [this.text[at - 1] ?? " ", this.text[end] ?? " "];
    const isWithin = run[0] === "_" && WORD.test(before) && WORD.test(after);
    const left = /\S/.test(before) && !isWithin ? this.#close(run) : run;
    if (left.length > 3 || isWithin || !/\S/.test(after)) return this.#words(left, end);
    if (left.length > 1) this.#begin(left.slice(0, 2), end);
    if (left.length % 2) this.#begin(left[0], end);
    return end;
  }

  /** Close by a run of marks what it closes, and tell what is left of it. @param {string} run */
  #close(run) {
    let left = run;
    for (let mark = this.#closable(left); mark; mark = this.#closable(left)) {
      const children = this.#closed(mark);
      this.#add(h(/** @type {string} */ (TAGS.get(mark)), null, children));
      left = left.slice(mark.length);
    }
    return left;
  }

  /** The mark that a run of marks closes first. @param {string} run */
  #closable(run) {
    const last = this.open.at(-1)?.mark ?? "";
    const fitting = [last, run.slice(0, 2), run.slice(0, 1)].filter((mark) => mark && TAGS.has(mark) && run.startsWith(mark));
    return fitting.find((mark) => (this.counts.get(mark) ?? 0) > 0) ?? "";
  }

  /** What a closing bracket ends: a link, or what was in brackets. @param {number} end */
  #link(end) {
    if (!this.counts.get("[")) {
      this.#add("]");
      return end;
    }
    const target = this.text[end] === "(" ? this.text.slice(end, end + LONGEST_ADDRESS).match(/^\(\s*<?(https?:\/\/[^\s<>()]*(?:\([^\s<>()]*\)[^\s<>()]*)*)>?(?:\s+"[^"]*")?\s*\)/i) : null;
    if (target === null) {
      this.#flatten(this.open.findLastIndex((one) => one.mark === "["));
      this.#add("]");
      return end;
    }
    const children = this.#closed("[");
    // There is no link within a link.
    const outer = this.open.findIndex((one) => one.mark === "[");
    if (outer > 0) this.#flatten(outer);
    this.#add(anchor(target[1], children));
    return end + target[0].length;
  }

  /** @param {string} piece @param {number} at */
  #address(piece, at) {
    const found = piece.slice(0, LONGEST_ADDRESS).replace(/[*_~.,:;!?)\]]{1,100}$/, "");
    const end = at + found.length;
    this.#add(anchor(found, [found]));
    return end;
  }
}

/** Where runs of ticks begin, by their length, the last one first. @param {string} text */
function ticks(text) {
  /** @type {Map<number, number[]>} */
  const found = new Map();
  for (const { 0: run, index } of [...text.matchAll(/`+/g)].reverse()) {
    const places = found.get(run.length);
    if (places) places.push(index);
    else found.set(run.length, [index]);
  }
  return found;
}

/** Where it leads stands in its title, since its words may say something else. @param {string} address @param {Child[]} children */
function anchor(address, children) {
  return h("a", { href: address, rel: "noreferrer nofollow", target: "_blank", title: address }, children);
}
