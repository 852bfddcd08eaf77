// Runs calls together that wait at the same time, as one statement for all of them. A call that finds a
// free place runs at once and alone, so groups are as large as the load, and cost no time without one.

interface CallGroupOptions<T, R> {
  /** The results of calls, in the same order. */
  readonly run: (calls: readonly T[]) => Promise<readonly R[]>;
  /** Maximum calls of a group. */
  readonly most: number;
  /** Groups that run at the same time; further calls wait for the next one. */
  readonly atOnce: number;
  /** Calls with the same key are in different groups; without it, all may be in one. */
  readonly keyOf?: (call: T) => unknown;
}

interface WaitingCall<T, R> {
  readonly call: T;
  readonly resolve: (result: R) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * A function that runs a call in a group. If a group of several fails, each of its calls runs again
 * alone, and rejects only if that fails too. The next group does not wait for these. The caller bounds
 * the number of calls.
 */
export function createCallGroups<T, R>({
  run,
  most,
  atOnce,
  keyOf = (call) => call,
}: CallGroupOptions<T, R>): (call: T) => Promise<R> {
  let waiting: WaitingCall<T, R>[] = [];
  let running = 0;

  /** The calls that waited longest and have different keys. */
  function nextGroup(): WaitingCall<T, R>[] {
    const group = new Map<unknown, WaitingCall<T, R>>();
    const others: WaitingCall<T, R>[] = [];
    for (const one of waiting) {
      const key = keyOf(one.call);
      if (group.size < most && !group.has(key)) group.set(key, one);
      else others.push(one);
    }
    waiting = others;
    return [...group.values()];
  }

  async function runGroup(group: readonly WaitingCall<T, R>[]): Promise<void> {
    try {
      const results = await run(group.map(({ call }) => call));
      for (const [index, { resolve }] of group.entries()) resolve(results[index] as R);
    } catch (error) {
      const [first] = group;
      if (group.length === 1) first?.reject(error);
      else for (const one of group) void runGroup([one]);
    }
  }

  function startNext(): void {
    while (running < atOnce && waiting.length > 0) {
      running++;
      void runGroup(nextGroup()).then(() => {
        running--;
        startNext();
      });
    }
  }

  return (call) =>
    new Promise((resolve, reject) => {
      waiting.push({ call, resolve, reject });
      startNext();
    });
}
