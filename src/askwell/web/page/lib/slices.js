// Long work in short slices, so that the page answers in between.

// Milliseconds of work after which the browser gets its turn.
const SLICE = 8;

/**
 * Run a generator to its end, and resolve to what it returns. Raises `AbortError` when `signal` is aborted.
 * @template T
 * @param {Generator<unknown, T>} steps
 * @param {AbortSignal} [signal]
 * @returns {Promise<T>}
 */
export async function sliced(steps, signal) {
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve));
    signal?.throwIfAborted();
    const end = performance.now() + SLICE;
    while (performance.now() < end) {
      const step = steps.next();
      if (step.done) return step.value;
    }
  }
}
