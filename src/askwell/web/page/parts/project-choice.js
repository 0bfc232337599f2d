// Which project is asked: those that there are, to choose from.
import { fill, h } from "../lib/dom.js";
import { ServiceError } from "../lib/errors.js";
import { t } from "../lib/text.js";

/**
 * Shown where there is something to choose.
 * @param {string} project the one that is shown @param {Promise<{id: string}[]>} found all that there are
 * @param {(project: string) => void} onChoose
 */
export function projectChoice(project, found, onChoose) {
  const choice = h("select", { class: "input", "aria-label": t("project") }, h("option", { value: project }, project));
  const leave = () => onChoose(choice.value);
  const go = h("button", { class: "button is-small", type: "button", hidden: true, onclick: leave });
  // Arrows choose at once, without a look at what else there is; a pointer chooses what is wanted.
  let isPointed = false;
  choice.addEventListener("pointerdown", () => (isPointed = true));
  choice.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
    isPointed = false;
    if (event.key !== "Enter" || go.hidden) return;
    event.preventDefault();
    leave();
  });
  choice.addEventListener("change", () => {
    if (isPointed) return leave();
    go.hidden = choice.value === project;
    go.textContent = t("project.go", { project: choice.value });
  });
  const element = h("div", { class: "field", hidden: true }, h("span", { "aria-hidden": "true" }, t("project")), choice, go);
  found.then((projects) => {
    const ids = projects.map((one) => one.id);
    const all = ids.includes(project) ? ids : [project, ...ids];
    fill(choice, all.map((id) => h("option", { value: id, selected: id === project }, id)));
    element.hidden = all.length < 2;
  });
  return element;
}

/**
 * Whether there is a project that is not listed, as one is of which the model is prepared still.
 * @param {import("../lib/api.js").Api} api @param {string} project
 */
export async function isUnlisted(api, project) {
  /** @param {string} path */
  const status = (path) => api.get(path, { project_id: project, limit: 1 }).then(() => 200, (error) => (error instanceof ServiceError ? error.status : 0));
  return (await status("/v1/asks")) !== 404 && (await status("/v1/semantics")) !== 422;
}
