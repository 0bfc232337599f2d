// The model of a project: its tables, searched and read, drawn with their joins, and described better.
import { fill, h, useStyle } from "../lib/dom.js";
import { heldFocus } from "../lib/layer.js";
import { t } from "../lib/text.js";
import { forget, readModel, shownName } from "../parts/model/data.js";
import { Draft } from "../parts/model/draft.js";
import { emptyModel } from "../parts/model/empty.js";
import { overview } from "../parts/model/overview.js";
import { preparation, rememberedPreparation, rememberPreparation } from "../parts/model/preparation.js";
import { tableList } from "../parts/model/table-list.js";
import { tableView } from "../parts/model/table-view.js";
import { loading, note, toast } from "../parts/notes.js";

/** @typedef {import("../parts/model/data.js").Model} Model */

/** @param {import("../main.js").Context} context @returns {HTMLElement} */
export function view(context) {
  const state = h("div", { class: "model-state" });
  let [chosen, search, isBusy] = [context.rest[0] ?? "", "", false];
  /** @type {{element: HTMLElement, show: (name: string) => void, update: () => void} | null} */
  let frame = null;

  /** @type {{element: HTMLElement, reload: () => Promise<void>}} */
  const found = loading(async () => (await Promise.all([readModel(context), useStyle("model.css")]))[0], (model) => {
    frame = model ? framed(model) : null;
    return model ? frame?.element : emptyModel(context, isBusy, found.reload);
  });
  context.onMoved(([name = ""]) => {
    chosen = name;
    frame?.show(chosen);
  });
  const before = rememberedPreparation(context.project);
  if (before && context.session.may("curate")) follow(...before);

  /** What was typed into the table is kept until the service has it. @param {string} label @param {string} table */
  function follow(label, table) {
    isBusy = true;
    fill(state, preparation(context, label, { onEnd }));
    frame?.update();

    /** @param {boolean} isFinished */
    async function onEnd(isFinished) {
      isBusy = false;
      if (isFinished) {
        Draft.forget(context.project, table);
        toast(t("model.ready"));
      } else {
        forget(context);
      }
      const back = heldFocus(found.element, () => found.element.querySelector("h1"));
      await found.reload();
      back();
    }
  }

  /** @param {Model} model */
  function framed(model) {
    const detail = h("div", { class: "model-detail" });
    /** @type {{update: () => void} | null} */
    let table = null;
    /** @type {string[]} */
    let words = [];
    /** @type {ReturnType<typeof tableList> | null} */
    let list = null;
    list = tableList(context, model, { search, onSearch, onSkip: () => /** @type {HTMLElement | null} */ (detail.querySelector("h1") ?? detail.querySelector("a"))?.focus() });
    const element = h("div", { class: "model-view" }, list.element, detail);

    /** @param {string[]} now */
    function onSearch(now) {
      words = now;
      search = list?.searched() ?? search;
    }

    /** @param {string} name */
    function show(name) {
      chosen = name;
      const one = model.byName.get(name);
      context.title(one ? shownName(one) : t("place.model"));
      element.classList.toggle("is-of-table", name !== "");
      list?.choose(name);
      const back = h("a", { class: "button is-small model-back", href: context.address("model") }, t("model.all"));
      if (name === "") {
        table = null;
        fill(detail, overview(context, model));
      } else if (!one) {
        table = null;
        fill(detail, back, note("info", t("model.no.table", { table: name.slice(0, 200) }), t("model.no.table.hint")));
      } else {
        const shown = tableView({ context, model, table: one, words, isBusy: () => isBusy, onSaved: (label) => saved(name, label), onReload: found.reload });
        table = shown;
        fill(detail, back, shown.element);
      }
    }
    /** Another one is read from its beginning. @param {string} name */
    function move(name) {
      show(name);
      scrollTo({ top: 0, behavior: "instant" });
      detail.querySelector("h1")?.focus({ preventScroll: true });
    }
    show(chosen);
    return { element, show: move, update: () => table?.update() };
  }

  /** @param {string} table @param {string} label */
  function saved(table, label) {
    rememberPreparation(context.project, label, table);
    follow(label, table);
  }
  return h("div", { class: "model-page" }, state, found.element);
}
