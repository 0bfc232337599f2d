// Dialogs and menus that open, close by Escape, and give the focus back.
import { h, icon, isRtl } from "../lib/dom.js";
import { focusedIn, layer, voices, voicesInReach } from "../lib/layer.js";
import { t } from "../lib/text.js";

/**
 * Show a dialog over the page, until it is closed.
 * @param {string} title
 * @param {import("../lib/dom.js").Child[]} content
 * @param {import("../lib/dom.js").Child[]} actions buttons at its end; each closes it by `close`
 * @returns {{element: HTMLDialogElement, close: () => void}}
 */
export function dialog(title, content, actions) {
  const close = () => element.close();
  const name = `dialog${(count += 1)}`;
  const shut = h("button", { class: "button is-plain icon-button", type: "button", "aria-label": t("close"), onclick: close }, icon("close"));
  const head = h("div", { class: "row is-apart dialog-head" }, h("h2", { id: name }, title), shut);
  const end = actions.length > 0 && h("div", { class: "dialog-end" }, actions);
  const told = content.filter((one) => one instanceof HTMLParagraphElement);
  told.forEach((one, at) => (one.id = `${name}-${at}`));
  const element = h("dialog", { "aria-labelledby": name, "aria-describedby": told.map((one) => one.id).join(" ") || null }, h("div", { class: "dialog" }, head, content, end));
  const below = layer();
  voices(element);
  element.addEventListener("close", () => {
    element.remove();
    voicesInReach(below).toasts.append(...voices(element).toasts.children);
  });
  element.addEventListener("click", (/** @type {MouseEvent} */ event) => event.target === element && close());
  below.append(element);
  element.showModal();
  return { element, close };
}

/**
 * Ask something that buttons answer; null where the dialog is closed without.
 * @template Answer
 * @param {string} title @param {string} question
 * @param {[text: string, answer: Answer, style?: string][]} answers
 * @returns {Promise<Answer | null>}
 */
export function chosen(title, question, answers) {
  return new Promise((resolve) => {
    const buttons = answers.map(([text, answer, style = ""]) => h("button", { class: `button ${style}`, type: "button", onclick: () => (resolve(answer), shown.close()) }, text));
    const shown = dialog(title, [h("p", null, question)], buttons);
    shown.element.addEventListener("close", () => resolve(null));
  });
}

/** Ask whether something is to be done that cannot be undone. @param {string} question @param {string} action the word on the button */
export async function confirmed(question, action) {
  return (await chosen(t("sure"), question, [[t("cancel"), false], [action, true, "is-danger"]])) === true;
}

/**
 * A button that opens a list of actions beside it, over everything else. Arrows and first letters move in it, Escape
 * closes it.
 * @param {import("../lib/dom.js").Child[]} label what stands on the button
 * @param {{text: string, act: () => void}[]} items
 * @param {{name?: string, small?: boolean, isAtStart?: boolean}} [more] `name` is what readers hear, where the label is a picture; `isAtStart` is for lists that begin where the button does, and not end there
 */
export function menu(label, items, { name, small = true, isAtStart = false } = {}) {
  const id = `menu${(count += 1)}`;
  const buttons = items.map(({ text, act }, at) =>
    h("button", { class: "button is-small", type: "button", role: "menuitem", tabindex: "-1", autofocus: at === 0, onclick: () => (list.hidePopover(), act()) }, text),
  );
  const list = h("div", { class: `menu-items${isAtStart ? " is-at-start" : ""}`, id, role: "menu", "aria-labelledby": `${id}-opener`, popover: "auto", onkeydown: moved }, buttons);
  const opener = h("button", { class: `button${small ? " is-small" : ""}`, id: `${id}-opener`, type: "button", popovertarget: id, "aria-haspopup": "menu", "aria-expanded": "false", "aria-label": name }, label);
  const element = h("div", { class: "menu" }, opener, list);
  list.addEventListener("toggle", (/** @type {ToggleEvent} */ { newState }) => (opener.ariaExpanded = String(newState === "open")));
  list.addEventListener("focusout", (/** @type {FocusEvent} */ { relatedTarget: next }) => next instanceof Node && !element.contains(next) && list.hidePopover());

  /** @param {KeyboardEvent} event */
  function moved(event) {
    const { key } = event;
    const at = buttons.indexOf(focusedIn(list));
    const steps = /** @type {Record<string, number>} */ ({ ArrowDown: at + 1, ArrowUp: at - 1 + buttons.length, Home: 0, End: buttons.length - 1 });
    const isLetter = key.length === 1 && key !== " " && !event.ctrlKey && !event.metaKey && !event.altKey;
    const lettered = isLetter && [...buttons.slice(at + 1), ...buttons.slice(0, at + 1)].find((one) => one.textContent.toLocaleLowerCase().startsWith(key.toLocaleLowerCase()));
    const to = lettered || buttons[steps[key] % buttons.length];
    if (!to) return;
    event.preventDefault();
    event.stopPropagation();
    to.focus();
  }
  return element;
}

/**
 * Tabs, of which one panel is shown at a time; it is made when it is first shown.
 * @param {string} name what the tabs are of, for readers
 * @param {{id: string, label: import("../lib/dom.js").Child[], make: () => HTMLElement}[]} panels
 * @param {import("../lib/dom.js").Child} [beside] what stands at the end of their line
 * @param {boolean} [isWhole] whether all are made at once, for where there is room for all of them
 */
export function tabs(name, panels, beside = null, isWhole = false) {
  const key = `tab${(count += 1)}`;
  const bar = h("div", { class: "tabs", role: "tablist", "aria-label": name });
  const body = h("div", { class: "tab-panels" });
  const buttons = panels.map((panel) =>
    h("button", { class: "tab", type: "button", role: "tab", id: `${key}-${panel.id}`, "aria-controls": `${key}-${panel.id}-panel`, onclick: () => choose(panel.id) }, panel.label),
  );
  bar.append(...buttons);
  bar.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
    const onwards = isRtl(bar) ? -1 : 1;
    const at = buttons.indexOf(/** @type {any} */ (focusedIn(bar)));
    const to = { ArrowRight: at + onwards, ArrowLeft: at - onwards, Home: 0, End: panels.length - 1 }[event.key];
    if (to === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    const next = (to + panels.length) % panels.length;
    choose(panels[next].id);
    buttons[next].focus();
  });
  /** @type {Map<string, HTMLElement>} */
  const made = new Map();
  /** @param {string} id */
  function choose(id) {
    panels.forEach((panel, at) => {
      const isChosen = panel.id === id;
      buttons[at].setAttribute("aria-selected", String(isChosen));
      buttons[at].tabIndex = isChosen ? 0 : -1;
      if ((isChosen || isWhole) && !made.has(panel.id)) {
        const shown = h("div", { role: "tabpanel", id: `${key}-${panel.id}-panel`, "aria-labelledby": `${key}-${panel.id}` }, panel.make());
        made.set(panel.id, shown);
        body.append(shown);
      }
      const shown = made.get(panel.id);
      if (shown) shown.hidden = !isChosen;
    });
  }
  choose(panels[0].id);
  return h("div", null, h("div", { class: "tabs-line" }, bar, beside), body);
}

let count = 0;
