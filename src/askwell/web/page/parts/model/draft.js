// What somebody types into a table's descriptions, kept in this tab until it is saved or discarded.
import { tab } from "../../lib/storage.js";

/** @typedef {import("./data.js").Table} Table */
/** @typedef {import("./data.js").Column} Column */
/** @typedef {"display_name" | "description" | "synonyms" | "unit"} Field */
/** What was typed, and what stood there when it was: another text by now is somebody else's. @typedef {{column: string | null, field: Field, text: string, before: string}} Typed */

export const FIELDS = /** @type {const} */ (["display_name", "description", "synonyms", "unit"]);

/** The text of a field, synonyms one a line. @param {Table | Column} one @param {Field} field */
export function textOf(one, field) {
  return field === "synonyms" ? one.synonyms.join("\n") : (one[field] ?? "");
}

/** @param {string} project @param {string} table */
const keyOf = (project, table) => `askwell.describing.${project}/${table}`;

export class Draft {
  /** @param {string} project @param {Table} table */
  constructor(project, table) {
    this.table = table;
    this.key = keyOf(project, table.name);
    /** @type {Typed[]} */
    this.typed = JSON.parse(tab.getItem(this.key) ?? "[]");
  }

  /** The service has what was typed. @param {string} project @param {string} table */
  static forget(project, table) {
    tab.removeItem(keyOf(project, table));
  }

  /** @param {string | null} column null for the table itself @param {Field} field */
  of(column, field) {
    return this.typed.find((one) => one.column === column && one.field === field);
  }

  /** @param {string | null} column @param {Field} field @param {string} text */
  put(column, field, text) {
    const now = this.#now(column, field);
    const before = this.of(column, field)?.before ?? now;
    this.typed = this.typed.filter((one) => one.column !== column || one.field !== field);
    if (normal(field, text) !== now) this.typed.push({ column, field, text, before });
    this.#keep();
  }

  /** What differs from the model, as PATCH /v1/semantics takes it. */
  changes() {
    /** @type {Map<string | null, Record<string, unknown>>} */
    const found = new Map();
    for (const { column, field, text } of this.typed) {
      if (normal(field, text) === this.#now(column, field)) continue;
      const change = found.get(column) ?? { table: this.table.name, ...(column === null ? {} : { column }) };
      change[field] = sent(field, text);
      found.set(column, change);
    }
    return [...found.values()];
  }

  /** Show in a table what was typed, before the service has it. */
  apply() {
    for (const { column, field, text } of this.typed) {
      const one = this.#part(column);
      if (!one) continue;
      if (field === "synonyms") one.synonyms = lines(text);
      else one[field] = text.trim() || undefined;
    }
  }

  clear() {
    this.typed = [];
    this.#keep();
  }

  /** @param {string | null} column @returns {Table | Column | undefined} */
  #part(column) {
    return column === null ? this.table : this.table.columns.find((one) => one.name === column);
  }

  /** @param {string | null} column @param {Field} field */
  #now(column, field) {
    const part = this.#part(column);
    return part ? normal(field, textOf(part, field)) : "";
  }

  #keep() {
    if (this.typed.length) tab.setItem(this.key, JSON.stringify(this.typed));
    else tab.removeItem(this.key);
  }
}

/** @param {Field} field @param {string} text */
function normal(field, text) {
  return field === "synonyms" ? lines(text).join("\n") : text.trim();
}

/** @param {Field} field @param {string} text */
function sent(field, text) {
  if (field === "synonyms") return lines(text);
  return text.trim() || null;
}

/** @param {string} text */
function lines(text) {
  return [...new Set(text.split("\n").map((line) => line.trim()).filter(Boolean))];
}
