// One table: what it is, its columns, what it is joined with, and the questions that people vouched for.
import { fill, h, icon } from "../../lib/dom.js";
import { t } from "../../lib/text.js";
import { tabs } from "../dialog.js";
import { draftQuestion } from "../question-box.js";
import { columnsPanel, synonyms } from "./columns.js";
import { shownKind, shownName } from "./data.js";
import { Draft } from "./draft.js";
import { fields, saveBar } from "./editing.js";
import { joinsPanel } from "./joins.js";
import { pairsPanel } from "./pairs.js";
import { rowsPanel } from "./rows.js";
import { marked } from "./search.js";
import { isSameName, kindBadge, markedText } from "./words.js";

/**
 * @typedef {object} Given
 * @property {import("../../main.js").Context} context
 * @property {import("./data.js").Model} model
 * @property {import("./data.js").Table} table
 * @property {string[]} words those that are searched for
 * @property {() => boolean} isBusy whether a change is being prepared
 * @property {(label: string) => void} onSaved
 * @property {() => void} onReload
 */

/** @param {Given} given @returns {{element: HTMLElement, update: () => void}} `update` is called when `isBusy` changes */
export function tableView(given) {
  const { context, model, table, words } = given;
  const draft = new Draft(context.project, table);
  const element = h("article", { class: "table-view stack", "aria-labelledby": "table-title" });
  let update = () => {};

  /** @param {boolean} isEditing */
  function show(isEditing) {
    const bar = isEditing
      ? saveBar(context, draft, { hash: model.facts.mdl_hash, isBusy: given.isBusy, onSaved: saved, onLeave: () => turn(false), onReload: given.onReload })
      : null;
    update = bar?.update ?? (() => {});
    const onChange = () => update();
    const shown = { context, model, table, words, draft: isEditing ? draft : null, onChange };
    const texts = isEditing ? fields(draft, table, null, onChange) : said();
    const parts = isEditing ? columnsPanel(shown) : tabs(t("model.parts", { table: shownName(table) }), [columns(shown), ...others()]);
    fill(element, head(isEditing), texts, parts, bar?.element);
  }

  /** @param {boolean} isEditing @param {string} [to] what gets the focus */
  function turn(isEditing, to = isEditing ? ".input" : "h1") {
    show(isEditing);
    element.querySelector(to)?.focus();
  }

  /** @param {import("./columns.js").Shown} shown */
  function columns(shown) {
    return { id: "columns", label: [t("model.tab.columns"), count(table.columns.length)], make: () => columnsPanel(shown) };
  }

  function others() {
    const joins = model.joinsOf.get(table.name)?.length ?? 0;
    const tabsOf = [
      { id: "rows", label: [t("model.tab.rows")], make: () => rowsPanel(context, model, table) },
      { id: "joins", label: [t("model.joins"), count(joins)], make: () => joinsPanel(context, model, table.name) },
      { id: "pairs", label: [t("keep.verified")], make: () => pairsPanel(context, table) },
    ];
    const isThere = { rows: table.kind !== "cube", joins: joins > 0, pairs: context.session.may("curate") };
    return tabsOf.filter(({ id }) => isThere[/** @type {keyof typeof isThere} */ (id)]);
  }

  /** @param {boolean} isEditing */
  function head(isEditing) {
    const name = !isSameName(shownName(table), table.name) && h("code", { class: "muted", dir: "auto" }, marked(table.name.slice(0, 300), words));
    const title = h("h1", { id: "table-title", tabindex: "-1", dir: "auto", title: table.name.slice(0, 300) }, marked(shownName(table).slice(0, 300), words));
    const ask = h("button", { class: "button", type: "button", onclick: askAbout }, icon("ask"), t("model.ask"));
    const edit = context.session.may("curate") && !isEditing && h("button", { class: "button", type: "button", onclick: () => turn(true) }, icon("edit"), t("model.edit"));
    return h("header", { class: "row is-apart" }, h("div", { class: "row" }, title, name, kindBadge(table)), h("div", { class: "row" }, ask, edit));
  }

  function said() {
    return [table.description ? h("p", { class: "keeps-lines table-said" }, markedText(table.description, words)) : undescribed(), synonyms(table, words)];
  }

  /** Who may say something of the table is asked to. */
  function undescribed() {
    if (!context.session.may("curate")) return null;
    const add = h("button", { class: "button is-small", type: "button", "aria-label": t("model.describe.name"), onclick: () => turn(true, ".is-description .input") }, icon("plus"), t("model.describe"));
    return h("p", { class: "row muted" }, t("model.undescribed"), add);
  }

  /** @param {string} label */
  function saved(label) {
    draft.apply();
    turn(false);
    given.onSaved(label);
  }

  function askAbout() {
    draftQuestion(context, question(table));
  }
  show(context.session.may("curate") && draft.changes().length > 0);
  return { element, update: () => update() };
}

/** @param {number} value */
function count(value) {
  return h("span", { class: "muted small" }, value.toLocaleString());
}

/** A question about a table, by what kind it is. @param {import("./data.js").Table} table */
function question(table) {
  const name = shownName(table).slice(0, 200);
  // What a view shows says its name, as it is written.
  if (shownKind(table) === "view") return t("model.ask.draft.view", { table: name });
  return t(table.kind === "model" ? "model.ask.draft" : "model.ask.draft.metric", { table: asWords(name) });
}

/** A name as it stands within a sentence. @param {string} name */
function asWords(name) {
  const text = name.replaceAll("_", " ");
  const isOfWords = text.split(/\s+/).every((word) => /^\p{Lu}?[\p{Ll}\d]+$/u.test(word));
  return isOfWords ? text.toLowerCase() : text;
}
