// Notices the end of npm, which takes its shell with it.
const PARENT_CHECK_MS = 500;

/**
 * A signal to npm ends npm and its shell without reaching this process, which only gets a new
 * parent. Calls `onGone` then, unless the returned function has been called.
 */
export function watchParent(onGone: () => void): () => void {
  if (process.env.npm_lifecycle_event === undefined) return () => undefined;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    onGone();
  }, PARENT_CHECK_MS).unref();
  return () => clearInterval(timer);
}
