// Properties of an element, for sites and frameworks that set these and no attributes.

/**
 * Give a class properties that are its attributes: `noSql` is `no-sql`. What is null or undefined takes the attribute away.
 * @param {HTMLElement} prototype @param {string[]} texts @param {string[]} switches attributes that are there or are not
 */
export function reflect(prototype, texts, switches) {
  /** @param {string} name @param {(element: HTMLElement) => unknown} get @param {(element: HTMLElement, value: any) => void} set */
  const define = (name, get, set) => {
    const property = name.replace(/-(\w)/g, (_, letter) => letter.toUpperCase());
    Object.defineProperty(prototype, property, {
      configurable: true,
      enumerable: true,
      get() {
        return get(this);
      },
      set(value) {
        set(this, value);
      },
    });
  };
  for (const name of texts) {
    define(name, (element) => element.getAttribute(name) ?? "", (element, value) => (value === null || value === undefined ? element.removeAttribute(name) : element.setAttribute(name, String(value))));
  }
  for (const name of switches) define(name, (element) => element.hasAttribute(name), (element, value) => element.toggleAttribute(name, Boolean(value)));
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
