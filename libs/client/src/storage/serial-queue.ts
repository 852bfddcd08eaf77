/** Runs actions one at a time, in the order of their calls. A failure does not stop the next ones. */
export interface SerialQueue {
  run<T>(action: () => Promise<T>): Promise<T>;
  /** Resolves when the actions so far have ended. */
  drain(): Promise<void>;
}

export function createSerialQueue(): SerialQueue {
  let last: Promise<unknown> = Promise.resolve();
  return {
    run(action) {
      const run = last.then(action);
      last = run.catch(() => undefined);
      return run;
    },
    async drain() {
      await last;
    },
  };
}
