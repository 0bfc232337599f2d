// Trusted Types let nothing become markup on this page. Vega empties its element by setting its markup to nothing, and
// nothing else of that kind passes. https://www.w3.org/TR/trusted-types/

/** Has to be called once, before Vega draws. */
export function letMarkupBeEmptied() {
  /** @type {any} */ (globalThis).trustedTypes?.createPolicy("default", { createHTML: (/** @type {string} */ text) => (text === "" ? text : null) });
}
