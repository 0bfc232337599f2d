// How wide columns are, and which of them are in sight.
import { cellText, decimalsOf, heading, isNumeric } from "../../lib/format.js";

const LEAST = 56;
const MOST = 340;
const LETTER = 7.6;
const AROUND = 30;
const LOOKED_AT = 60;
const COMPARED = 500;
const NAMING = /CHAR|TEXT|STRING|ENUM|DATE|TIME/i;

export class Columns {
  /** @param {import("../../lib/format.js").Column[]} columns @param {unknown[][]} cells */
  constructor(columns, cells) {
    const seen = cells.slice(0, COMPARED);
    this.all = columns.map((column, at) => ({ ...column, decimals: decimalsOf(column, seen.map((row) => row[at])) }));
    this.cells = cells;
    this.widths = columns.map((_, at) => this.fitting(at));
  }

  /** The width that shows what a column holds. @param {number} at */
  fitting(at) {
    const column = this.all[at];
    let letters = heading(column).length + 3;
    for (const row of this.cells.slice(0, LOOKED_AT)) {
      if (letters * LETTER > MOST) break;
      letters = Math.max(letters, Math.min(60, cellText(row[at], column).length));
    }
    return Math.round(Math.min(MOST, Math.max(LEAST, letters * LETTER + AROUND)));
  }

  /** @param {number} at @param {number} width */
  resize(at, width) {
    this.widths[at] = Math.round(Math.min(1600, Math.max(LEAST, width)));
  }

  get total() {
    return this.widths.reduce((sum, width) => sum + width, 0);
  }

  /** Where a column begins. @param {number} at */
  start(at) {
    return this.widths.slice(0, at).reduce((sum, width) => sum + width, 0);
  }

  /** The columns between two places, in pixels from the first one: `[first, last]`. @param {number} from @param {number} to */
  between(from, to) {
    let [first, last, edge] = [0, this.widths.length - 1, 0];
    for (let at = 0; at < this.widths.length; at += 1) {
      if (edge + this.widths[at] <= from) first = Math.min(at + 1, this.widths.length - 1);
      if (edge < to) last = at;
      edge += this.widths[at];
    }
    return [first, last];
  }

  /** Whether a column says of each row what the others are of: the first one, where it holds names or times. @param {number} at */
  isHeading(at) {
    return at === 0 && this.all.length > 1 && NAMING.test(this.all[at].type);
  }

  /** @param {number} at */
  isNumeric(at) {
    return isNumeric(this.all[at]);
  }
}
