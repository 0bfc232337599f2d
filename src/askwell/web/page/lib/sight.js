// What sticks to the edges of the window, and keeping it from hiding what has the focus.

/**
 * While an element sticks to the bottom of the page, what is scrolled to comes into sight above it (styles/tokens.css).
 * @param {HTMLElement} element @param {AbortSignal} signal until then, or until the element is taken away
 */
export function keepsClear(element, signal) {
  const { style } = document.documentElement;
  const gone = new AbortController();
  const over = AbortSignal.any([signal, gone.signal]);
  const measure = () => {
    const { position, bottom } = getComputedStyle(element);
    style.setProperty("--composer", position === "sticky" ? `${element.offsetHeight + (parseFloat(bottom) || 0)}px` : "0px");
  };
  const observer = new ResizeObserver(() => (element.isConnected ? measure() : gone.abort()));
  over.addEventListener("abort", () => {
    observer.disconnect();
    style.removeProperty("--composer");
  });
  observer.observe(element);
  addEventListener("resize", measure, { signal: over });
}

/** Scroll the page until nothing that sticks to its edges hides a part of it. @param {number} top in the window @param {number} bottom */
export function scrollClear(top, bottom) {
  const { scrollPaddingTop, scrollPaddingBottom } = getComputedStyle(document.documentElement);
  const first = parseFloat(scrollPaddingTop) || 0;
  const last = innerHeight - (parseFloat(scrollPaddingBottom) || 0);
  if (top < first) scrollBy(0, top - first);
  else if (bottom > last) scrollBy(0, bottom - last);
}
