/** Resolves after this time, or as soon as the signal is aborted. */
export function pauseUnlessAborted(waitMs: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, waitMs);
    if (signal?.aborted) end();
    else signal?.addEventListener('abort', end);
  });
}
