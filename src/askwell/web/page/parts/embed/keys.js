// Keys that belong to a text: a site that listens for its own hotkeys sees the element as their target, and no text field.

const FIELDS = "textarea, input, select";
// What leads out of a text is the site's too: it may keep the focus within a dialog, and close that.
const LEADS_OUT = ["Tab", "Escape"];

/** Keep keys that are typed into a text from everything around this root. @param {HTMLElement} root */
export function keepTyping(root) {
  for (const name of ["keydown", "keypress", "keyup"]) {
    root.addEventListener(name, (event) => {
      const { key, target } = /** @type {KeyboardEvent} */ (event);
      const isTyped = target instanceof Element && target.matches(FIELDS);
      if (isTyped && (event.defaultPrevented || !LEADS_OUT.includes(key))) event.stopPropagation();
    });
  }
}
