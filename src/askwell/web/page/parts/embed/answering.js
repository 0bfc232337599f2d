// What a site answers to what is asked back, as the service wants it said.

/** @typedef {string | {option_id: string} | {values: Record<string, unknown>}} Given words, one of the options, or values for what has fields */

/**
 * Null where it answers nothing of what is asked.
 * @param {Given} given @param {Record<string, any>} asked the `clarification` of a result
 * @returns {Record<string, unknown> | null}
 */
export function correctionOf(given, { kind, options = [], allow_text: takesText }) {
  const isFields = kind === "fields";
  if (typeof given === "string") {
    const text = given.trim();
    return text && takesText !== false && !isFields ? { type: "text", text } : null;
  }
  const { option_id: id, values } = /** @type {Record<string, any>} */ (given ?? {});
  if (isFields) return values && typeof values === "object" ? { type: "fields", values } : null;
  return options.some((/** @type {{id: string}} */ one) => one.id === id) ? { type: "choice", option_id: id } : null;
}
