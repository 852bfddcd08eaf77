// The webhooks of a run: each user has one for the whole graph; two have one for their shared tree, and
// two one for completed tasks. All have one for due dates: one of them for those of a shared tree, and one
// together with the completed tasks.
import { setTimeout as sleep } from 'node:timers/promises';
import { type WebhookFields, webhooks } from '@taskgraph/client';
import { randomFrom } from '@taskgraph/testkit/random';
import type { Anomaly, HookMessage, WebhookLog } from '../../history/history.ts';
import type { FaultStack } from '../fault-stack.ts';
import { now, type RunUser } from '../writer.ts';
import { type HookReceiver, startHookReceiver } from './hook-receiver.ts';
import { busyWebhooks, disabledWebhooks, isPostponed, type NamedState } from './webhook-states.ts';

const TRIES = 20;
const AGAIN_MS = 500;
const CAUGHT_UP_LIMIT_MS = 180_000;
const POLL_MS = 500;
const DUE = 'node.due';
/** The user of the webhook with both types of messages. */
const BOTH = 3;

/** A user with the root of their shared tree. */
export interface HookUser {
  readonly runUser: RunUser;
  readonly root: string;
}

interface RunWebhook {
  readonly id: string;
  readonly calls: ReturnType<typeof webhooks>;
  readonly log: { -readonly [K in keyof WebhookLog]: WebhookLog[K] };
}

export interface HookClients {
  readonly logs: readonly WebhookLog[];
  /**
   * Lets the receiver accept everything, and waits until `missed` finds nothing and all webhooks are idle,
   * or a time limit passes. It enables only those webhooks again whose next attempt is minutes away:
   * the others must continue on their own. Returns what is wrong with the webhooks themselves.
   */
  catchUp(missed: () => readonly Anomaly[], note: (line: string) => void): Promise<Anomaly[]>;
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
    else if (runUser.index < 4)
      await add('event-hook', { events: ['node.completed', ...(runUser.index === BOTH ? [DUE] : [])] });
    if (runUser.index !== BOTH) await add('due-hook', { events: [DUE], ...(runUser.index === 0 ? { root } : {}) });
  }
  return {
    logs: added.map(({ log }) => log),
    async catchUp(missed, note) {
      receiver.acceptAll();
      const found = await Promise.all(added.map(stateOf));
      const postponed = added.filter((_, index) => isPostponed(found[index]?.state, Date.now()));
      note(`${postponed.length} of ${added.length} webhooks have their next attempt in minutes, and are enabled again`);
      await Promise.all(postponed.map(enable));
      const deadline = now() + CAUGHT_UP_LIMIT_MS;
      let last = await Promise.all(added.map(stateOf));
      while (now() < deadline && (busyWebhooks(last).length > 0 || missed().length > 0)) {
        await sleep(POLL_MS);
        last = await Promise.all(added.map(stateOf));
      }
      return [...disabledWebhooks(found), ...busyWebhooks(last), ...receiver.anomalies];
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
  const address = receiver.open(messages);
  const fields = { url: address.url, events: [...events] as WebhookFields['events'] & {} };
  const { hook, secret } = await untilDone(() => calls.add({ ...fields, ...(root === null ? {} : { root }) }));
  address.expect(secret);
  return {
    id: hook.id,
    calls,
    log: { client, user: runUser.id, root, events, addedMs: now(), enabledMs: null, messages },
  };
}

async function enable({ id, calls, log }: RunWebhook): Promise<void> {
  log.enabledMs = now();
  await untilDone(() => calls.update(id, { enabled: true }));
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

async function stateOf({ id, calls, log }: RunWebhook): Promise<NamedState> {
  const hooks = await untilDone(() => calls.list());
  return { name: log.client, state: hooks.find((each) => each.id === id) };
}
