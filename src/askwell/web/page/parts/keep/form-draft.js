// What somebody has typed into a form, kept in this tab until it is sent or given up, so that it may be left meanwhile.

/** @typedef {HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement} Control */

/** Whose form it is, and where. @typedef {{storage: Pick<Storage, "getItem" | "setItem">, session: {me?: {name: string} | null}, project: string}} Drafting */

export class FormDraft {
  /** @param {Drafting} context @param {string} section @param {string} [id] of what is changed; "" for something new */
  constructor({ storage, session, project }, section, id = "") {
    this.storage = storage;
    this.key = `askwell.form.${JSON.stringify([session.me?.name ?? "", project, section, id])}`;
  }

  /** Whether something was typed and not sent. */
  get isThere() {
    return Boolean(this.storage.getItem(this.key));
  }

  /** Put into a form what was typed, and keep what is typed from now on. @param {HTMLElement} form */
  attach(form) {
    if (this.isThere) restore(form, JSON.parse(this.storage.getItem(this.key) ?? "{}"));
    for (const name of ["input", "change"]) form.addEventListener(name, () => this.keep(form));
  }

  /** @param {HTMLElement} form */
  keep(form) {
    const typed = Object.fromEntries(controls(form).map((one) => [nameOf(one), isMark(one) ? one.checked : one.value]));
    this.storage.setItem(this.key, JSON.stringify(typed));
  }

  forget() {
    this.storage.setItem(this.key, "");
  }
}

/** What is typed into one field may bring others. @param {HTMLElement} form @param {Record<string, string | boolean>} typed */
function restore(form, typed) {
  const left = new Map(Object.entries(typed));
  for (let next = missing(form, left); next; next = missing(form, left)) {
    const value = left.get(nameOf(next));
    left.delete(nameOf(next));
    if (isMark(next)) next.checked = value === true;
    else next.value = String(value);
    for (const name of ["input", "change"]) next.dispatchEvent(new Event(name, { bubbles: true }));
  }
}

/** @param {HTMLElement} form @param {Map<string, unknown>} left */
function missing(form, left) {
  return controls(form).find((one) => left.has(nameOf(one)));
}

/** @param {HTMLElement} form @returns {Control[]} */
function controls(form) {
  return [...form.querySelectorAll("input, textarea, select")].map((one) => /** @type {Control} */ (one));
}

/** @param {Control} control @returns {control is HTMLInputElement} */
function isMark(control) {
  return control.type === "checkbox" || control.type === "radio";
}

/** A control by the words that people know it by; ids are made anew each time. @param {Control} control */
function nameOf(control) {
  const label = control.closest("label") ?? control.closest(".field")?.querySelector("label");
  // Within a label, a field's own text is no name.
  const name = (label?.querySelector("span") ?? label)?.textContent ?? control.getAttribute("aria-label") ?? "";
  return `${control.closest('[role="group"]')?.getAttribute("aria-label") ?? ""}/${name}`;
}
