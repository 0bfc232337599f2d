// Where the page is: `#/PROJECT/VIEW/REST`, which people can send to each other.

/** @typedef {{project: string, view: string, rest: string[]}} Place */

/** `project` is "" where the address names none. @param {string} hash @returns {Place} */
export function placeOf(hash) {
  const [, project = "", view = "", ...rest] = hash.replace(/^#/, "").split("/").map(decoded);
  return { project, view: view || "ask", rest };
}

/**
 * The address of a place.
 * @param {string} project
 * @param {string} view
 * @param {...string} rest
 */
export function addressOf(project, view, ...rest) {
  return `#/${[project, view, ...rest].map(encodeURIComponent).join("/")}`;
}

/** @param {string} part */
function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
