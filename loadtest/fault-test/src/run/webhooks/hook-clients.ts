// The webhooks of a run: each user has one for the whole graph; two have one for their shared tree, and
// two one for completed tasks.
import { setTimeout as sleep } from 'node:timers/promises';
import { type WebhookFields, webhooks } from '@taskgraph/client';
import { randomFrom } from '@taskgraph/testkit/random';
import type { Anomaly, HookMessage, WebhookLog } from '../../history/history.ts';
import type { FaultStack } from '../fault-stack.ts';
import { now, type RunUser } from '../writer.ts';
import { type HookReceiver, startHookReceiver } from './hook-receiver.ts';

const TRIES = 20;
const AGAIN_MS = 500;
const CAUGHT_UP_LIMIT_MS = 120_000;
const POLL_MS = 500;

/** A user with the root of their shared tree. */
export interface HookUser {
  readonly runUser: RunUser;
  readonly root: string;
}

interface RunWebhook {
  readonly id: string;
  readonly calls: ReturnType<typeof webhooks>;
  readonly log: WebhookLog;
}

export interface HookClients {
  readonly logs: readonly WebhookLog[];
  /**
   * Lets the receiver accept everything, starts all webhooks anew, and waits until `missed` finds
   * nothing or a time limit passes. Returns what is wrong with the webhooks themselves.
   */
  catchUp(missed: () => readonly Anomaly[]): Promise<Anomaly[]>;
  close(): Promise<void>;
}

export async function addWebhooks(
  { urls }: FaultStack,
  users: readonly HookUser[],
  seed: number,
): Promise<HookClients> {
  const receiver = await startHookReceiver(randomFrom(seed));
  const added: RunWebhook[] = [];
  for (const { runUser, root } of users) {
    const add = async (kind: string, filter: Filter) =>
      added.push(await addWebhook({ receiver, urls, runUser }, `${kind}${runUser.index}`, filter));
    await add('hook', {});
    if (runUser.index < 2) await add('root-hook', { root });
    else if (runUser.index < 4) await add('event-hook', { events: ['node.completed'] });
  }
  return {
    logs: added.map(({ log }) => log),
    async catchUp(missed) {
      receiver.acceptAll();
      // The next attempt may otherwise be minutes or hours away.
      await Promise.all(added.map(({ id, calls }) => untilDone(() => calls.update(id, { enabled: true }))));
      const deadline = now() + CAUGHT_UP_LIMIT_MS;
      while (missed().length > 0 && now() < deadline) await sleep(POLL_MS);
      return (await Promise.all(added.map(judgeState))).flat();
    },
    close: () => receiver.close(),
  };
}

interface HookOwner {
  readonly receiver: HookReceiver;
  readonly urls: FaultStack['urls'];
  readonly runUser: RunUser;
}

type Filter = Partial<Pick<WebhookLog, 'root' | 'events'>>;

async function addWebhook({ receiver, urls, runUser }: HookOwner, client: string, filter: Filter): Promise<RunWebhook> {
  const messages: HookMessage[] = [];
  const { root = null, events = [] } = filter;
  const calls = webhooks({ url: urls[0], token: runUser.token });
  const fields = { url: receiver.open(messages), events: [...events] as WebhookFields['events'] & {} };
  const { hook } = await untilDone(() => calls.add({ ...fields, ...(root === null ? {} : { root }) }));
  return { id: hook.id, calls, log: { client, user: runUser.id, root, events, addedMs: now(), messages } };
}

/** The calls repeat themselves for a short time only. */
async function untilDone<T>(call: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await call();
    } catch (error) {
      if (tries === TRIES) throw error;
    }
    await sleep(AGAIN_MS);
  }
}

async function judgeState({ id, calls, log }: RunWebhook): Promise<Anomaly[]> {
  const hook = (await untilDone(() => calls.list())).find((each) => each.id === id);
  if (hook?.state === 'active') return [];
  return [{ kind: 'a webhook was disabled', what: `${log.client}: ${hook?.state} ${hook?.reason}`, about: [hook] }];
}
