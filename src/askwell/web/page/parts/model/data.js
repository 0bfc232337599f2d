// A project's model as it is looked at: its tables by name, and what joins them.
import { ServiceError } from "../../lib/errors.js";

/**
 * @typedef {object} Column
 * @property {string} name @property {string} type @property {string} role
 * @property {string} [display_name] @property {string} [description] @property {string[]} synonyms
 * @property {string} [unit] @property {string} [expression] @property {string[]} [values]
 */
/**
 * @typedef {object} Table
 * @property {string} name @property {"model" | "view" | "metric" | "cube"} kind @property {boolean} [is_view] of a model, whether it is of a view of the database
 * @property {string} [display_name] @property {string} [description] @property {string[]} synonyms
 * @property {string[]} primary_key @property {Column[]} columns @property {string} [unit] none: columns have units
 */
/**
 * @typedef {object} Join
 * @property {string} name @property {string} left @property {string} right @property {[string, string][]} pairs
 * @property {string} cardinality @property {boolean} is_inferred
 */
/**
 * @typedef {object} Described
 * @property {string} mdl_hash @property {string} dialect @property {string} [prepared_at] @property {string} [sampled_at]
 * @property {string[]} warnings @property {Table[]} tables @property {Join[]} relationships
 */

const names = new Intl.Collator(undefined, { numeric: true });

export class Model {
  /** @param {Described} facts */
  constructor(facts) {
    this.facts = facts;
    this.tables = [...facts.tables].sort((a, b) => names.compare(shownName(a), shownName(b)) || (a.name < b.name ? -1 : 1));
    /** @type {Map<string, Table>} */
    this.byName = new Map(facts.tables.map((table) => [table.name, table]));
    this.joins = facts.relationships.filter((join) => this.byName.has(join.left) && this.byName.has(join.right));
    /** @type {Map<string, Join[]>} */
    this.joinsOf = new Map(facts.tables.map((table) => [table.name, []]));
    for (const join of this.joins) {
      this.joinsOf.get(join.left)?.push(join);
      if (join.right !== join.left) this.joinsOf.get(join.right)?.push(join);
    }
  }

  /** What joins a table, as seen from it: its own columns first in each pair. @param {string} name */
  joinsFrom(name) {
    return (this.joinsOf.get(name) ?? []).map((join) => (join.left === name ? join : turned(join)));
  }

  /** The table that is joined most, by its name; "" where there is none. */
  get mostJoined() {
    let [most, found] = [0, ""];
    for (const [name, joins] of this.joinsOf) if (joins.length > most) [most, found] = [joins.length, name];
    return found;
  }

  /**
   * A table and those that are at most so many joins away from it, the nearest first.
   * @param {string} name @param {number} steps
   */
  around(name, steps) {
    const found = [name];
    const seen = new Set(found);
    for (let step = 0, from = 0; step < steps; step += 1) {
      const end = found.length;
      for (; from < end; from += 1) {
        for (const join of this.joinsFrom(found[from])) if (!seen.has(join.right)) found.push(join.right), seen.add(join.right);
      }
    }
    return found;
  }
}

/** What people take a table for: views of the database are views. @param {Table} table */
export function shownKind(table) {
  return table.is_view ? "view" : table.kind;
}

/** @param {Table | Column} one */
export function shownName(one) {
  return one.display_name || one.name;
}

/** @param {Join} join @returns {Join} */
function turned(join) {
  const [left, , right] = join.cardinality.split("_");
  return { ...join, left: join.right, right: join.left, cardinality: `${right}_TO_${left}`, pairs: join.pairs.map(([own, other]) => [other, own]) };
}

/** What was read last, of whoever uses the page: another person may see other values. @type {WeakMap<object, {project: string, tag: string, model: Model}>} */
const kept = new WeakMap();

/** Read it anew the next time. @param {import("../../main.js").Context} context */
export function forget({ session }) {
  kept.delete(session.me ?? session);
}

/**
 * The project's model; null where it has none. Raises `ServiceError` and `AbortError`.
 * @param {import("../../main.js").Context} context
 * @returns {Promise<Model | null>}
 */
export async function readModel({ api, session, project, signal }) {
  const key = session.me ?? session;
  const before = kept.get(key);
  const known = before?.project === project ? before : null;
  const path = `/v1/semantics?${new URLSearchParams({ project_id: project })}`;
  try {
    const answer = await api.fetch("GET", path, { signal, headers: known ? { "If-None-Match": known.tag } : {} });
    const model = new Model(await answer.json());
    kept.set(key, { project, tag: answer.headers.get("ETag") ?? "", model });
    return model;
  } catch (error) {
    if (error instanceof ServiceError && error.status === 304 && known) return known.model;
    if (error instanceof ServiceError && error.status === 404) return null;
    throw error;
  }
}
