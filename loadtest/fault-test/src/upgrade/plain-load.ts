// Load with few or no retries: one client that renames a node as fast as it is answered, over one connection
// for as long as that is kept.
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from '../history/history.ts';
import { readDiff } from '../run/forest.ts';
import { now, type RunUser } from '../run/writer.ts';

export interface PlainLoad {
  /** One line for each request that was not answered with 200. */
  readonly failures: readonly string[];
  answered(): number;
  /** Attempts that were answered with 503 and tried again. */
  retried(): number;
  /** Resolves after the last answer. */
  stop(): Promise<void>;
}

interface PlainLoadOptions {
  readonly url: string;
  readonly runUser: RunUser;
  /** The node that it renames. */
  readonly id: string;
  /** The beginning of its idempotency keys, which are also the titles. */
  readonly name: string;
  /** Records the commands. */
  readonly commands: Command[];
  /** How often it repeats a request that was answered with 503. Default: 0. */
  readonly retries?: number;
}

const RETRY_MS = 500;

export function startPlainLoad({ url, runUser, id, name, commands, retries = 0 }: PlainLoadOptions): PlainLoad {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const failures: string[] = [];
  let isOver = false;
  let answered = 0;
  let retried = 0;
  const ask = (key: string, payload: object) =>
    new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
      const headers = {
        authorization: `Bearer ${runUser.token}`,
        'content-type': 'application/json',
        'idempotency-key': key,
      };
      const sent = request(`${url}/api/node`, { method: 'PUT', agent, headers }, (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
        });
        answer.on('error', reject).on('end', () => resolve({ status: answer.statusCode, text }));
      });
      sent.on('error', reject);
      sent.end(JSON.stringify(payload));
    });
  const askAgain = async (key: string, payload: object) => {
    for (let left = retries; ; left -= 1) {
      const answer = await ask(key, payload);
      if (answer.status !== 503 || left === 0) return answer;
      retried += 1;
      await sleep(RETRY_MS);
    }
  };
  const call = async (key: string): Promise<void> => {
    const payload = { id, title: key };
    const calledMs = now();
    const outcome = await askAgain(key, payload).then(
      ({ status, text }): Command['outcome'] => {
        if (status === 200) return { kind: 'done', ...readDiff((JSON.parse(text) as { diff: unknown }).diff) };
        return { kind: 'unknown', why: `${status} ${text}` };
      },
      (error: unknown): Command['outcome'] => ({ kind: 'unknown', why: String(error) }),
    );
    if (outcome.kind === 'done') answered += 1;
    else failures.push(`${key}: ${'why' in outcome ? outcome.why : ''}`);
    const { id: user } = runUser;
    commands.push({ key, client: name, user, event: 'node:update', payload, calledMs, endedMs: now(), outcome });
  };
  const running = (async () => {
    for (let turn = 0; !isOver; turn++) await call(`${name}-${turn}`);
  })();
  return {
    failures,
    answered: () => answered,
    retried: () => retried,
    async stop() {
      isOver = true;
      await running;
      agent.destroy();
    },
  };
}
