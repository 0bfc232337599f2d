// The page's style sheets, as sheets that a shadow root adopts: no policy of a site refuses these.
import { ServiceError } from "../../lib/errors.js";

const NAMES = ["tokens.css", "controls.css", "answer.css", "table.css", "sql.css", "chart.css", "embed.css"];
// What browsers take for `1rem`, unless a site's page changes it.
const REM = 16;

/** @type {Promise<CSSStyleSheet[]> | null} */
let loading = null;

/** Loaded once for all elements. Raises `ServiceError` where they cannot be had. */
export function sheets() {
  loading ??= Promise.all(NAMES.map(load));
  loading.catch(() => (loading = null));
  return loading;
}

/** What is shown where the others cannot be had. */
export function plainSheet() {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(":host { display: block } .embed-root { all: initial; display: block; color-scheme: inherit; font: 15px/1.5 sans-serif; color: CanvasText; background: Canvas; padding: 8px } p { margin: 0 0 8px }");
  return sheet;
}

/** @param {string} name */
async function load(name) {
  let answer;
  try {
    answer = await fetch(new URL(`../../styles/${name}`, import.meta.url), { credentials: "omit" });
  } catch {
    throw new ServiceError(0, {});
  }
  if (!answer.ok) throw new ServiceError(answer.status, {});
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(adapted(await answer.text()));
  return sheet;
}

/**
 * Sizes are of the element and not of the site's root, which has its own; and it is narrow where the element is, however
 * wide the window.
 * @param {string} text
 */
function adapted(text) {
  return text
    .replace(/@media \(max-width: ([\d.]+)rem\)/g, (_, wide) => `@container askwell (max-width: ${Number(wide) * REM}px)`)
    .replace(/(-?[\d.]+)rem\b/g, (_, size) => `calc(${size} * var(--askwell-rem))`);
}
