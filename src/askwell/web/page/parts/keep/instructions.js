// Instructions: rules that people give a language model for its answers.
import { newId } from "../../lib/asking.js";
import { h } from "../../lib/dom.js";
import { t } from "../../lib/text.js";
import { beginning, longText } from "../long-text.js";
import { note } from "../notes.js";
import { field } from "./changes.js";
import { kept } from "./collection.js";

/** @typedef {{id: string, instruction: string, questions: string[], is_default: boolean, scope: "sql" | "answer" | "chart"}} Instruction */

const SCOPES = /** @type {const} */ (["sql", "answer", "chart"]);

/** @type {import("../../views/keep.js").Section} */
export function section(context) {
  const textOf = (/** @type {Instruction} */ one) => [one.instruction, ...one.questions].join("\n");
  const all = kept(context, "instructions", { from: ["/v1/instructions", "instructions"], textOf, line, form });

  /** @param {Instruction} one */
  function line(one) {
    const questions = one.questions.map((question) => h("li", { class: "chip", dir: "auto" }, beginning(question, 120)));
    const where = one.is_default ? h("span", { class: "badge is-accent" }, t("instructions.default")) : h("ul", { class: "row", "aria-label": t("instructions.for") }, questions);
    return {
      name: one.instruction,
      main: [longText(one.instruction), h("div", { class: "row" }, h("span", { class: "badge" }, t(`scope.${one.scope}`)), where)],
      isChanged: true,
      remove: { question: t("instructions.delete", { instruction: beginning(one.instruction) }), act: () => all.change("DELETE", { instruction_ids: [one.id] }) },
    };
  }

  /** @param {Instruction | null} one @param {() => void} close */
  function form(one, close) {
    const rule = h("textarea", { class: "input", rows: 4, required: true, maxlength: 10_000, dir: "auto" }, one?.instruction ?? "");
    const scope = h("select", { class: "input" }, SCOPES.map((name) => h("option", { value: name, selected: name === (one?.scope ?? "sql") }, t(`scope.${name}`))));
    const name = newId("applies");
    const isDefault = one?.is_default ?? true;
    const forAll = h("input", { type: "radio", name, checked: isDefault });
    const forSome = h("input", { type: "radio", name, checked: !isDefault });
    const questions = h("textarea", { class: "input", rows: 3, dir: "auto" }, (one?.questions ?? []).join("\n"));
    const some = h("div", null, field(t("instructions.for"), questions, t("instructions.for.hint")));
    const which = h("fieldset", { class: "row", onchange: chosen }, h("legend", { class: "for-readers" }, t("instructions.when")), h("label", { class: "check" }, forAll, t("instructions.default")), h("label", { class: "check" }, forSome, t("instructions.some")));
    const looked = all.lookedAgain(one, close, { tell: (now) => longText(now.instruction) });
    chosen();

    function chosen() {
      some.hidden = forAll.checked;
      questions.required = forSome.checked;
    }

    async function act() {
      await looked();
      const likes = questions.value.split("\n").map((/** @type {string} */ text) => text.trim()).filter(Boolean);
      const said = { id: one?.id ?? newId("instruction"), instruction: rule.value.trim(), is_default: forAll.checked, questions: forAll.checked ? [] : likes, scope: scope.value };
      await all.change("POST", { instructions: [said] });
    }
    return { fields: [field(t("instructions.rule"), rule), field(t("instructions.scope"), scope), which, some], act };
  }
  return all.section([], !context.session.settings.hasModel && note("info", t("instructions.no.model")));
}
