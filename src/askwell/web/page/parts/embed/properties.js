// Properties of an element, for sites and frameworks that set these and no attributes.

/**
 * Give a class properties that are its attributes: `noSql` is `no-sql`. What is null or undefined takes the attribute away.
 * @param {HTMLElement} prototype @param {string[]} texts @param {string[]} switches attributes that are there or are not
 */
export function reflect(prototype, texts, switches) {
  for (const name of [...texts, ...switches]) {
    const isSwitch = switches.includes(name);
    Object.defineProperty(prototype, name.replace(/-(\w)/g, (_, letter) => letter.toUpperCase()), {
      configurable: true,
      enumerable: true,
      get() {
        return isSwitch ? this.hasAttribute(name) : (this.getAttribute(name) ?? "");
      },
      set(value) {
        if (isSwitch) this.toggleAttribute(name, Boolean(value));
        else if (value === null || value === undefined) this.removeAttribute(name);
        else this.setAttribute(name, String(value));
      },
    });
  }
}

/** Take over what was set before the element was known, which would hide its properties. @param {HTMLElement} element @param {string[]} names */
export function takeOver(element, names) {
  const own = /** @type {any} */ (element);
  for (const name of names) {
    if (!Object.hasOwn(own, name)) continue;
    const value = own[name];
    delete own[name];
    own[name] = value;
  }
}
