// Asking before something is left that would be lost: another place, signing out, or closing the page.

/** @typedef {() => Promise<boolean>} Asks asks whoever uses the page whether they go */

/** @type {Asks | null} */
let asks = null;
let isAsking = false;
/** Whether something would be lost with the page itself. @type {() => boolean} */
let isLostWithPage = () => false;

addEventListener("beforeunload", (event) => isLostWithPage() && event.preventDefault());

/**
 * From now on, `question` is asked before another place is shown; null where nothing is to be asked.
 * @param {Asks | null} question
 */
export function askBeforeLeaving(question) {
  asks = question;
}

/** Have the browser ask before the page is closed or reloaded, as long as this says so. @param {() => boolean} isKept */
export function askBeforeClosing(isKept) {
  isLostWithPage = isKept;
}

/** Whether whoever uses the page may be taken from what is shown: asked where there is something to ask. */
export async function mayLeave() {
  if (asks === null) return true;
  if (isAsking) return false;
  isAsking = true;
  const goes = await asks();
  isAsking = false;
  if (goes) asks = null;
  return goes;
}

/**
 * Follow a change of the address by `go`, unless somebody stays where they are.
 * @param {HashChangeEvent} event @param {() => void} go
 */
export async function followed({ oldURL, newURL }, go) {
  if (asks === null) return go();
  // Until they have said so, nothing has changed.
  history.replaceState(null, "", oldURL);
  if (await mayLeave()) location.assign(newURL);
}
