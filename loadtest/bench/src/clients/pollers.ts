// A process with many requests whose answers the server delays. It measures the time from a request
// that wakes some of them to their answers.
import { setTimeout as sleep } from 'node:timers/promises';
import { openRest } from './rest.ts';

/** A request that waits, and the one that wakes all requests with its token. */
export interface PollTarget {
  readonly url: string;
  readonly token: string;
  readonly path: string;
  /** Whether the request is sent again after an answer without nodes, because its time is up. */
  readonly repeats?: boolean;
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
      for (const target of targets) {
        const { url, token } = target;
        const answer = poll(restOf(url), target);
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

/**
 * Repeats a request until something has changed, also if the server was too busy; returns the time
 * of the answer.
 */
async function poll(rest: ReturnType<typeof openRest>, { path, token, repeats = false }: PollTarget): Promise<number> {
  for (;;) {
    const { status, body, retryAfter } = await rest.send('GET', path, token);
    if (status === 503 && retryAfter !== null) {
      await sleep(retryAfter * 1_000);
      continue;
    }
    if (status !== 200) throw new Error(`a waiting request was answered ${status}: ${body.slice(0, 200)}`);
    const at = performance.now();
    if (!repeats || (JSON.parse(body) as { nodes: unknown[] }).nodes.length > 0) return at;
  }
}
