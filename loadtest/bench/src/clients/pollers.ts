// A process with many requests whose answers the server delays. It measures the time from a request
// that wakes some of them to their answers.
import { openRest } from './rest.ts';

/** A request that waits, and the one that wakes all requests with its token. */
export interface PollTarget {
  readonly url: string;
  readonly token: string;
  readonly path: string;
}

export interface WakeTarget extends PollTarget {
  readonly body: object;
}

export interface PollerActs {
  /** Sends the requests, without waiting for their answers. */
  open(targets: readonly PollTarget[]): Promise<void>;
  /** Wakes the requests with the target's token; returns milliseconds until each was answered. */
  wake(target: WakeTarget): Promise<readonly number[]>;
}

export async function openPollers(): Promise<PollerActs> {
  const answers = new Map<string, Promise<number>[]>();
  const connections = new Map<string, ReturnType<typeof openRest>>();
  const restOf = (url: string) => {
    const rest = connections.get(url) ?? openRest(url, Number.POSITIVE_INFINITY);
    connections.set(url, rest);
    return rest;
  };
  return {
    async open(targets) {
      for (const { url, token, path } of targets) {
        const answer = restOf(url)
          .send('GET', path, token)
          .then(({ status, body }) => {
            if (status !== 200) throw new Error(`a waiting request was answered ${status}: ${body.slice(0, 200)}`);
            return performance.now();
          });
        // Only the answers of woken requests are read; the others end with the process.
        answer.catch(() => undefined);
        const key = `${url} ${token}`;
        answers.set(key, [...(answers.get(key) ?? []), answer]);
      }
    },
    async wake({ url, token, path, body }) {
      const startedAt = performance.now();
      const woken = answers.get(`${url} ${token}`) ?? [];
      answers.delete(`${url} ${token}`);
      await restOf(url).send('POST', path, token, body);
      return (await Promise.all(woken)).map((at) => at - startedAt);
    },
  };
}
