// Instructions: rules that people give a language model for its answers.
import { h } from "../../lib/dom.js";
import { t } from "../../lib/text.js";
import { beginning, longText } from "../long-text.js";
import { loading, note } from "../notes.js";
import { changed, editor, field, newId, opener } from "./changes.js";
import { collection, entry, everything } from "./collection.js";
import { requireUnchanged, saveAgain } from "./deciding.js";
import { FormDraft } from "./form-draft.js";
import { sectionHead } from "./section-head.js";

/** @typedef {{id: string, instruction: string, questions: string[], is_default: boolean, scope: "sql" | "answer" | "chart"}} Instruction */

const SCOPES = /** @type {const} */ (["sql", "answer", "chart"]);

/** @type {import("../../views/keep.js").Section} */
export function section(context) {
  const state = { words: "" };
  const place = h("div");
  const list = loading(() => everything(context, "/v1/instructions", "instructions"), show);
  const add = opener(place, t("instructions.add"), (close) => form(t("instructions.add"), null, close), { draft: draftOf(null) });
  const unused = !context.session.settings.hasModel && note("info", t("instructions.no.model"));

  /** @param {Instruction | null} one */
  function draftOf(one) {
    return new FormDraft(context, "instructions", one?.id);
  }

  /** @param {any[]} all */
  function show(all) {
    if (!all.length) return h("p", { class: "empty" }, t("instructions.empty"));
    const textOf = (/** @type {Instruction} */ one) => [one.instruction, ...one.questions].join("\n");
    return collection({ items: all, textOf, line, count: (count) => t("instructions.count", { count }), search: t("instructions.search"), state });
  }

  /** @param {Instruction} one */
  function line(one) {
    const questions = one.questions.map((question) => h("li", { class: "chip", dir: "auto" }, beginning(question, 120)));
    const where = one.is_default ? h("span", { class: "badge is-accent" }, t("instructions.default")) : h("ul", { class: "row", "aria-label": t("instructions.for") }, questions);
    return entry({
      id: one.id,
      name: one.instruction,
      main: [longText(one.instruction), h("div", { class: "row" }, h("span", { class: "badge" }, t(`scope.${one.scope}`)), where)],
      edit: (close) => form(t("instructions.edit"), one, close),
      draft: draftOf(one),
      remove: { question: t("instructions.delete", { instruction: beginning(one.instruction) }), act: () => change("DELETE", { instruction_ids: [one.id] }) },
    });
  }

  /** @param {string} title @param {Instruction | null} one @param {() => void} close */
  function form(title, one, close) {
    const rule = h("textarea", { class: "input", rows: 4, required: true, maxlength: 10_000, dir: "auto" }, one?.instruction ?? "");
    const scope = h("select", { class: "input" }, SCOPES.map((name) => h("option", { value: name, selected: name === (one?.scope ?? "sql") }, t(`scope.${name}`))));
    const name = newId("applies");
    const isDefault = one?.is_default ?? true;
    const forAll = h("input", { type: "radio", name, checked: isDefault });
    const forSome = h("input", { type: "radio", name, checked: !isDefault });
    const questions = h("textarea", { class: "input", rows: 3, required: !isDefault, dir: "auto" }, (one?.questions ?? []).join("\n"));
    const some = h("div", null, field(t("instructions.for"), questions, t("instructions.for.hint")));
    some.hidden = isDefault;
    const choice = h("fieldset", { class: "row", onchange: chosen }, h("legend", { class: "for-readers" }, t("instructions.when")), h("label", { class: "check" }, forAll, t("instructions.default")), h("label", { class: "check" }, forSome, t("instructions.some")));
    function chosen() {
      some.hidden = forAll.checked;
      questions.required = forSome.checked;
    }
    const said = () => ({
      id: one?.id ?? newId("instruction"),
      instruction: rule.value.trim(),
      is_default: forAll.checked,
      questions: forAll.checked ? [] : questions.value.split("\n").map((/** @type {string} */ line_) => line_.trim()).filter(Boolean),
      scope: scope.value,
    });
    let isAgreed = false;
    async function save() {
      const anyway = (/** @type {Event} */ event) => {
        isAgreed = true;
        saveAgain(event);
      };
      const theirs = async () => {
        draftOf(one).forget();
        close();
        await list.reload();
      };
      const tell = (/** @type {Instruction} */ now) => longText(now.instruction);
      if (one && !isAgreed) await requireUnchanged(context, "/v1/instructions", "instructions", one, { anyway, theirs, tell });
      await change("POST", { instructions: [said()] });
    }
    return editor({
      title,
      fields: [field(t("instructions.rule"), rule), field(t("instructions.scope"), scope), choice, some],
      action: t("save"),
      act: save,
      onClose: close,
      draft: draftOf(one),
    });
  }

  /** @param {"POST" | "DELETE"} method @param {Record<string, unknown>} body */
  async function change(method, body) {
    await changed(context, method, "/v1/instructions", { body: { project_id: context.project, ...body } });
    await list.reload();
  }
  return h("div", { class: "stack" }, sectionHead("instructions", add), unused, place, list.element);
}
