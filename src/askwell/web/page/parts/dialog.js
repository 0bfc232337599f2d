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
 * Ask whether something is to be done that cannot be undone.
 * @param {string} question
 * @param {string} action the word on the button
 * @returns {Promise<boolean>}
 */
export function confirmed(question, action) {
  return new Promise((resolve) => {
    const yes = h("button", { class: "button is-danger", type: "button", onclick: () => end(true) }, action);
    const no = h("button", { class: "button", type: "button", onclick: () => end(false) }, t("cancel"));
    const shown = dialog(t("sure"), [h("p", null, question)], [no, yes]);
    shown.element.addEventListener("close", () => resolve(false));
    /** @param {boolean} answer */
    function end(answer) {
      resolve(answer);
      shown.close();
    }
  });
}

/**
 * A button that opens a list of actions below it, or above where there is no room. It is over everything else, so that
 * nothing cuts it off. Arrows and first letters move in it, Escape closes it.
 * @param {import("../lib/dom.js").Child[]} label what stands on the button
 * @param {{text: string, act: () => void}[]} items
 * @param {{name?: string, small?: boolean, isAtStart?: boolean}} [more] `name` is what readers hear, where the label is a picture; `isAtStart` is for lists that begin where the button does, and not end there
 */
export function menu(label, items, { name, small = true, isAtStart = false } = {}) {
  const key = `menu${(count += 1)}`;
  const list = h("div", { class: "menu-items", role: "menu", "aria-labelledby": key, popover: "manual", hidden: true });
  let shown = new AbortController();
  const opener = h(
    "button",
    { class: `button${small ? " is-small" : ""}`, id: key, type: "button", "aria-haspopup": "menu", "aria-expanded": "false", "aria-label": name, onclick: () => open(list.hidden) },
    label,
  );
  for (const item of items) {
    const act = () => {
      open(false);
      item.act();
    };
    list.append(h("button", { class: "button is-small", type: "button", role: "menuitem", tabindex: "-1", onclick: act }, item.text));
  }
  const element = h("div", { class: "menu" }, opener, list);
  element.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => moved(event));
  element.addEventListener("focusout", (/** @type {FocusEvent} */ event) => {
    if (!element.contains(/** @type {Node | null} */ (event.relatedTarget))) show(false);
  });
  /** @param {boolean} isOpen */
  function show(isOpen) {
    if (list.hidden !== isOpen) return;
    list.hidden = !isOpen;
    opener.setAttribute("aria-expanded", String(isOpen));
    shown.abort();
    // It may close because it is taken away with what it is in.
    if (list.isConnected) list.togglePopover(isOpen);
    if (!isOpen) return;
    shown = new AbortController();
    const move = () => (list.isConnected ? put(list, opener, isAtStart) : shown.abort());
    for (const event of ["scroll", "resize"]) addEventListener(event, move, { capture: true, passive: true, signal: shown.signal });
    move();
  }
  /** @param {boolean} isOpen */
  function open(isOpen) {
    show(isOpen);
    (isOpen ? list.firstElementChild : opener)?.focus();
  }
  /** @param {KeyboardEvent} event */
  function moved(event) {
    if (list.hidden) return;
    const all = /** @type {HTMLElement[]} */ ([...list.children]);
    const at = all.indexOf(/** @type {HTMLElement} */ (focusedIn(list)));
    const steps = { ArrowDown: at + 1, ArrowUp: at - 1 + all.length, Home: 0, End: all.length - 1 };
    const lettered = isLetter(event) && [...all.slice(at + 1), ...all.slice(0, at + 1)].find((one) => startsWith(one, event.key));
    if (lettered) lettered.focus();
    else if (event.key === "Escape") open(false);
    else if (event.key in steps) all[steps[/** @type {keyof typeof steps} */ (event.key)] % all.length].focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
  return element;
}

// Between a list and its button, and between it and the edge of the window.
const [GAP, EDGE] = [4, 8];

/** Put a list where its button is now. @param {HTMLElement} list @param {HTMLElement} opener @param {boolean} isAtStart */
function put(list, opener, isAtStart) {
  const from = opener.getBoundingClientRect();
  const { clientWidth, clientHeight } = document.documentElement;
  const above = from.top - GAP - list.offsetHeight;
  const isBelow = from.bottom + GAP + list.offsetHeight <= clientHeight || above < 0;
  const left = isAtStart === isRtl(opener) ? from.right - list.offsetWidth : from.left;
  list.style.top = `${isBelow ? from.bottom + GAP : above}px`;
  list.style.left = `${Math.max(EDGE, Math.min(left, clientWidth - list.offsetWidth - EDGE))}px`;
}

/** Whether a key stands for what is written on it. @param {KeyboardEvent} event */
function isLetter(event) {
  return event.key.length === 1 && event.key !== " " && !event.ctrlKey && !event.metaKey && !event.altKey;
}

/** @param {HTMLElement} item @param {string} letter */
function startsWith(item, letter) {
  return (item.textContent ?? "").toLocaleLowerCase().startsWith(letter.toLocaleLowerCase());
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
