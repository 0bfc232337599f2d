// The words of the page, in the language that its texts are in.
import { TEXTS } from "../texts/en.js";

/** What the texts are written in, as BCP 47. */
export const LANGUAGE = "en";

/**
 * A text with its values put in: `t("rows.count", {count: 3})`. One that begins with several forms (`one`, `other`) is
 * chosen by `count`, as the language has it.
 *
 * @param {keyof typeof TEXTS} key
 * @param {Record<string, string | number>} [values]
 * @returns {string}
 */
export function t(key, values = {}) {
  const found = TEXTS[key];
  const text = typeof found === "string" ? found : form(/** @type {Record<string, string>} */ (found), values.count);
  return text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? shown(values[name]) : whole));
}

const plurals = new Intl.PluralRules(LANGUAGE);

/** @param {Record<string, string>} forms @param {string | number | undefined} count */
function form(forms, count) {
  return forms[plurals.select(Number(count))] ?? forms.other;
}

/** @param {string | number} value */
function shown(value) {
  return typeof value === "number" ? value.toLocaleString(navigator.language) : value;
}
