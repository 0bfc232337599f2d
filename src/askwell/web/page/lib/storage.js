// What a browser keeps for the page, where it lets the page keep anything; else for as long as the page is open.

/** @typedef {Pick<Storage, "getItem" | "setItem" | "removeItem"> & {names: () => string[]}} Kept */

/** @param {() => Storage} found raises where the browser refuses it @returns {Kept} */
function kept(found) {
  /** @type {Map<string, string>} */
  const own = new Map();
  /** @template T @param {(storage: Storage) => T} use @returns {T | undefined} */
  function tried(use) {
    try {
      return use(found());
    } catch {
      return undefined;
    }
  }
  return {
    getItem: (name) => own.get(name) ?? tried((storage) => storage.getItem(name)) ?? null,
    setItem: (name, value) => {
      own.set(name, value);
      tried((storage) => (storage.setItem(name, value), own.delete(name)));
    },
    removeItem: (name) => {
      own.delete(name);
      tried((storage) => storage.removeItem(name));
    },
    names: () => [...own.keys(), ...(tried((storage) => Object.keys(storage)) ?? [])],
  };
}

/** Of this tab. */
export const tab = kept(() => sessionStorage);
/** Of this browser. */
export const browser = kept(() => localStorage);
