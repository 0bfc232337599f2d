// What sticks to the edges of the window, and keeping it from hiding what has the focus.

/**
 * While an element sticks to the bottom of the page, what is scrolled to comes into sight above it (styles/tokens.css).
 * @param {HTMLElement} element @param {AbortSignal} signal until then
 */
export function keepsClear(element, signal) {
  const { style } = document.documentElement;
  const measure = () => style.setProperty("--composer", getComputedStyle(element).position === "sticky" ? `${element.offsetHeight}px` : "0px");
  const observer = new ResizeObserver(measure);
  observer.observe(element);
  addEventListener("resize", measure, { signal });
  signal.addEventListener("abort", () => {
    observer.disconnect();
    style.removeProperty("--composer");
  });
}

/** Scroll the page until nothing that sticks to its edges hides a part of it. @param {number} top in the window @param {number} bottom */
export function scrollClear(top, bottom) {
  const { scrollPaddingTop, scrollPaddingBottom } = getComputedStyle(document.documentElement);
  const first = parseFloat(scrollPaddingTop) || 0;
  const last = innerHeight - (parseFloat(scrollPaddingBottom) || 0);
  if (top < first) scrollBy(0, top - first);
  else if (bottom > last) scrollBy(0, bottom - last);
}
