// A process that requests more than the service can execute. It sends updates over many sockets at
// a fixed rate, regardless of the answers, and some over REST, where refusals have a status and a
// header.
import { setTimeout as sleep } from 'node:timers/promises';
import { openRest } from '../clients/rest.ts';
import { isRefused } from './acks.ts';
import { openRawSocket } from './raw-socket.ts';

export interface OverloadClientOptions {
  readonly url: string;
  readonly path: string;
  /** The calling users, each with its own node. */
  readonly users: readonly { readonly token: string; readonly node: string }[];
  readonly socketsEach: number;
}

export interface OverloadResult {
  readonly sent: number;
  /** Successful answers within the measured interval. */
  readonly accepted: number;
  /** Refusals over sockets and REST. */
  readonly refused: number;
  /** Answers over REST, by status. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Answers 503 over REST without Retry-After. */
  readonly withoutRetryAfter: number;
  /** A few refusals over sockets with a code other than `unavailable`. */
  readonly unexpected: readonly string[];
}

export interface OverloadActs {
  /** Keeps this many updates of each socket in flight; returns the number of accepted ones. */
  saturate(input: { outstanding: number; ms: number }): Promise<number>;
  /**
   * Sends at this rate per second. Accepted work counts after `settleMs`. Stops waiting for answers
   * after `answerLimitMs`.
   */
  sendAtRate(input: { rate: number; ms: number; settleMs: number; answerLimitMs: number }): Promise<OverloadResult>;
}

/** One in this many calls uses REST. */
const REST_SHARE = 20;
const REST_CONNECTIONS = 1_000;
const TICK_MS = 10;
const UNEXPECTED_LIMIT = 5;

export async function openOverloadClients(options: OverloadClientOptions): Promise<OverloadActs> {
  const { url, path, users, socketsEach } = options;
  const rest = openRest(url, REST_CONNECTIONS);
  const sockets = await Promise.all(
    Array.from({ length: users.length * socketsEach }, async (_, at) => {
      const user = users[at % users.length] as OverloadClientOptions['users'][number];
      const auth = { api_token: user.token };
      return { user, socket: await openRawSocket({ url, path, auth, onEvent: () => undefined }) };
    }),
  );
  let turn = 0;
  return {
    async saturate({ outstanding, ms }) {
      const startedAt = performance.now();
      let accepted = 0;
      const asker = async ({ user, socket }: (typeof sockets)[number]) => {
        while (performance.now() - startedAt < ms) {
          const answer = await socket.call('node:update', { id: user.node, title: `title ${turn++}` });
          if (!isRefused(answer)) accepted++;
        }
      };
      await Promise.all(sockets.flatMap((each) => Array.from({ length: outstanding }, () => asker(each))));
      return accepted;
    },
    async sendAtRate({ rate, ms, settleMs, answerLimitMs }) {
      const startedAt = performance.now();
      const counts = { sent: 0, accepted: 0, refused: 0, withoutRetryAfter: 0 };
      const statuses: Record<string, number> = {};
      const unexpected: string[] = [];
      const accept = () => {
        const at = performance.now() - startedAt;
        if (at >= settleMs && at < ms) counts.accepted++;
      };
      const overSocket = async () => {
        const { user, socket } = sockets[turn % sockets.length] as (typeof sockets)[number];
        const answer = await socket.call('node:update', { id: user.node, title: `title ${turn}` });
        if (!isRefused(answer)) return accept();
        counts.refused++;
        if (!answer.includes('"error":"unavailable"') && unexpected.length < UNEXPECTED_LIMIT)
          unexpected.push(answer.slice(0, 200));
      };
      const overRest = async () => {
        const { token, node } = users[turn % users.length] as OverloadClientOptions['users'][number];
        const { status, retryAfter } = await rest.send('PUT', '/api/node', token, { id: node, title: `title ${turn}` });
        statuses[status] = (statuses[status] ?? 0) + 1;
        if (status === 200) return accept();
        counts.refused++;
        if (status === 503 && retryAfter === null) counts.withoutRetryAfter++;
      };
      const answers: Promise<void>[] = [];
      for (let now = 0; now < ms; now = performance.now() - startedAt) {
        for (; counts.sent < (rate * now) / 1_000; counts.sent++) {
          answers.push(turn++ % REST_SHARE === 0 ? overRest() : overSocket());
        }
        await sleep(TICK_MS);
      }
      await Promise.race([Promise.allSettled(answers), sleep(answerLimitMs, undefined, { ref: false })]);
      return { ...counts, statuses, unexpected };
    },
  };
}
