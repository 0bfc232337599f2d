// Verified questions: SQL that people vouched for. A question in these words is answered by it.
import { newId } from "../../lib/asking.js";
import { fill, h, icon } from "../../lib/dom.js";
import { ServiceError } from "../../lib/errors.js";
import { sqlTokens } from "../../lib/sql-tokens.js";
import { t } from "../../lib/text.js";
import { beginning, folded, longText } from "../long-text.js";
import { note } from "../notes.js";
import { sqlView } from "../sql.js";
import { askButton, choice, field, saveAgain, Undecided } from "./changes.js";
import { kept } from "./collection.js";
import { trial, typed } from "./trial.js";

/** @typedef {{name: string, type: string, description?: string, required: boolean, default?: string | number | boolean}} Parameter */
/** @typedef {{id: string, question: string, sql: string, parameters: Parameter[]}} Pair */

const TYPES = ["VARCHAR", "BIGINT", "DECIMAL", "DOUBLE", "DATE", "TIMESTAMP", "BOOLEAN", "LIST(VARCHAR)", "LIST(BIGINT)"];

/** @type {import("../../views/keep.js").Section} */
export function section(context) {
  /** @type {Pair[]} */
  let saved = [];
  const warnings = h("div");
  const textOf = (/** @type {Pair} */ pair) => `${pair.question}\n${pair.sql}`;
  const all = kept(context, "verified", { from: ["/v1/sql-pairs", "sql_pairs"], textOf, line, form, show: (found) => all.listed((saved = found)) });

  /** @param {Pair} pair @returns {import("./collection.js").Line} */
  function line(pair) {
    const sql = folded(h("code", null, beginning(pair.sql, 160)), () => sqlView({ sql: pair.sql }));
    return {
      name: pair.question,
      main: [longText(pair.question, { class: "keep-title" }), parameters(pair.parameters), sql],
      actions: (where) => [askButton(context, pair.question, t("ask"), icon("send"), where)],
      isChanged: true,
      remove: { question: t("verified.delete", { question: beginning(pair.question) }), act: () => change("DELETE", { sql_pair_ids: [pair.id] }) },
    };
  }

  /** @param {Pair | null} pair @param {() => void} close */
  function form(pair, close) {
    const question = h("textarea", { class: "input", rows: 2, required: true, maxlength: 10_000, dir: "auto" }, pair?.question ?? "");
    const sql = h("textarea", { class: "input code", rows: 7, required: true, spellcheck: "false", dir: "ltr" }, pair?.sql ?? "");
    const values = parameterFields(pair?.parameters ?? []);
    const id = pair?.id ?? newId("pair");
    const tell = (/** @type {Pair} */ now) => h("div", { class: "stack" }, h("p", { dir: "auto" }, beginning(now.question, 300)), sqlView({ sql: now.sql }));
    const looked = all.lookedAgain(pair, close, { tell });
    // What whoever saves it has agreed to; forgotten when they go on writing.
    let isAgreed = false;
    question.addEventListener("input", () => (isAgreed = false));
    sql.addEventListener("input", () => {
      isAgreed = false;
      values.show(sql.value);
    });
    values.show(sql.value);
    const attempt = trial(context, sql, values.read);

    async function act() {
      await looked();
      const body = { sql_pairs: [{ id, question: question.value.trim(), sql: sql.value.trim(), parameters: values.read() }], strict: !isAgreed };
      try {
        await change("POST", body);
      } catch (error) {
        const remark = error instanceof ServiceError ? error.body.remarks?.[0] : null;
        throw remark ? toDecide(remark) : error;
      }
    }

    /** What is to be decided before it is saved. @param {{repairs?: string[], sql?: string, same_question?: string}} remark */
    function toDecide({ repairs, sql: mended, same_question: other }) {
      const asItIs = choice(t("keep.anyway"), (event) => {
        isAgreed = true;
        saveAgain(event);
      });
      if (repairs) {
        const take = (/** @type {Event} */ event) => {
          sql.value = mended ?? "";
          saveAgain(event);
        };
        const shown = mended && sqlView({ sql: mended });
        return new Undecided(note("warn", t("verified.repairs"), repairs.join(" "), mended && choice(t("verified.take"), take), asItIs), shown);
      }
      const edit = async () => {
        close();
        // It may be beyond those that are shown.
        all.state.words = saved.find((one) => one.id === other)?.question ?? "";
        await all.list.reload();
        /** @type {HTMLElement | null} */ (document.querySelector(`.keep-entry[data-id="${CSS.escape(other ?? "")}"] .keep-edit`))?.click();
      };
      return new Undecided(note("warn", t("verified.same"), "", choice(t("verified.edit.other"), edit), asItIs));
    }
    return { fields: [field(t("verified.question"), question, t("verified.question.hint")), field(t("verified.sql"), sql, t("verified.sql.hint")), attempt, values.element], act };
  }

  /** @param {"POST" | "DELETE"} method @param {Record<string, unknown>} body */
  async function change(method, body) {
    const end = await all.change(method, body);
    fill(warnings, (end.warnings ?? []).map((/** @type {string} */ one) => note("warn", one)));
  }
  return all.section([], warnings);
}

/** @param {Parameter[]} all */
function parameters(all) {
  if (!all?.length) return null;
  const chip = (/** @type {Parameter} */ one) => {
    const more = one.default !== undefined && one.default !== null ? t("parameter.default.is", { value: beginning(String(one.default), 40) }) : one.required === false ? t("optional") : "";
    return h("li", { class: "chip", title: one.description ?? null }, h("code", null, `:${one.name}`), h("span", { class: "muted" }, one.type), more);
  };
  return h("ul", { class: "row", "aria-label": t("parameters") }, all.map(chip));
}

/**
 * What is said of each name that the SQL has as `:name`. What was said of a name that is gone meanwhile is there again
 * when the name is.
 * @param {Parameter[]} before
 */
function parameterFields(before) {
  /** @type {Map<string, ReturnType<typeof parameterField>>} */
  const rows = new Map(before.map((one) => [one.name, parameterField(one)]));
  const element = h("fieldset", { class: "stack parameters" });
  /** @type {string[]} */
  let names = [];

  /** @param {string} sql */
  function show(sql) {
    names = namesIn(sql);
    for (const name of names) if (!rows.has(name)) rows.set(name, parameterField({ name, type: "VARCHAR", required: true }));
    element.hidden = names.length === 0;
    fill(element, h("legend", null, t("parameters")), names.map((name) => rows.get(name)?.element));
  }
  return { element, show, read: () => names.map((name) => /** @type {any} */ (rows.get(name)).read()) };
}

/** @param {Parameter} one */
function parameterField(one) {
  const all = TYPES.includes(one.type) ? TYPES : [one.type, ...TYPES];
  const type = h("select", { class: "input" }, all.map((name) => h("option", { value: name, selected: name === one.type }, name)));
  const value = h("input", { class: "input", maxlength: 1000, value: one.default ?? "" });
  const about = h("input", { class: "input", maxlength: 1000, value: one.description ?? "" });
  const required = h("input", { type: "checkbox", checked: one.required !== false });
  const element = h(
    "div",
    { class: "parameter", role: "group", "aria-label": one.name },
    h("code", { class: "parameter-name" }, `:${one.name}`),
    field(t("parameter.type"), type),
    field(t("parameter.default"), value),
    field(t("parameter.about"), about),
    h("label", { class: "check" }, required, t("parameter.required")),
  );
  function read() {
    const said = value.value.trim();
    return { name: one.name, type: type.value, required: required.checked, description: about.value.trim() || undefined, default: said === "" ? undefined : typed(said, type.value) };
  }
  return { element, read };
}

/** The names that SQL has as `:name`; a cast (`::type`) is none. @param {string} sql */
function namesIn(sql) {
  const tokens = sqlTokens(sql.slice(0, 100_000));
  /** @type {Set<string>} */
  const found = new Set();
  tokens.forEach((token, at) => {
    const isName = /^[A-Za-z_][A-Za-z0-9_]{0,62}$/.test(token.text);
    if (isName && tokens[at - 1]?.text === ":" && tokens[at - 2]?.text !== ":") found.add(token.text);
  });
  return [...found].slice(0, 50);
}
