// The webhooks of a run: each user has one for the whole graph; two have one for their shared tree, and
// two one for completed tasks.
import { setTimeout as sleep } from 'node:timers/promises';
import { randomFrom } from '@taskgraph/testkit/random';
import type { Anomaly, HookMessage, WebhookLog } from '../../history/history.ts';
import { type Caller, restCaller } from '../callers.ts';
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
  readonly caller: Caller;
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
  const webhooks: RunWebhook[] = [];
  for (const { runUser, root } of users) {
    const add = async (kind: string, filter: Partial<Pick<WebhookLog, 'root' | 'events'>>) =>
      webhooks.push(await addWebhook({ receiver, urls, runUser }, `${kind}${runUser.index}`, filter));
    await add('hook', {});
    if (runUser.index < 2) await add('root-hook', { root });
    else if (runUser.index < 4) await add('event-hook', { events: ['node.completed'] });
  }
  return {
    logs: webhooks.map(({ log }) => log),
    async catchUp(missed) {
      receiver.acceptAll();
      // The next attempt may otherwise be minutes or hours away.
      await Promise.all(webhooks.map(({ id, caller }) => callUntilDone(caller, 'hook:update', { id, enabled: true })));
      const deadline = now() + CAUGHT_UP_LIMIT_MS;
      while (missed().length > 0 && now() < deadline) await sleep(POLL_MS);
      return (await Promise.all(webhooks.map(judgeState))).flat();
    },
    close: () => receiver.close(),
  };
}

interface HookOwner {
  readonly receiver: HookReceiver;
  readonly urls: FaultStack['urls'];
  readonly runUser: RunUser;
}

async function addWebhook(
  { receiver, urls, runUser }: HookOwner,
  client: string,
  filter: Partial<Pick<WebhookLog, 'root' | 'events'>>,
): Promise<RunWebhook> {
  const messages: HookMessage[] = [];
  const caller = restCaller({ name: client, urls, token: runUser.token });
  const body = await callUntilDone(caller, 'hook:add', { url: receiver.open(messages), ...filter });
  const { hook } = body as { hook: { id: string } };
  return { id: hook.id, caller, log: { client, user: runUser.id, root: null, events: [], ...filter, messages } };
}

/** Throws if the call is refused, or fails too often. */
async function callUntilDone(caller: Caller, event: string, payload: Readonly<Record<string, unknown>>) {
  for (let tries = 1; ; tries++) {
    const reply = await caller.call(event, payload, null);
    if (reply.kind === 'done') return reply.body;
    if (reply.kind === 'refused' || tries === TRIES)
      throw new Error(`${event} of ${caller.name} failed: ${JSON.stringify(reply)}`);
    await sleep(AGAIN_MS);
  }
}

async function judgeState({ id, caller, log }: RunWebhook): Promise<Anomaly[]> {
  const { hooks } = (await callUntilDone(caller, 'hook:list', {})) as {
    hooks: readonly { id: string; state: string; reason: string | null }[];
  };
  const hook = hooks.find((each) => each.id === id);
  if (hook?.state === 'active') return [];
  return [{ kind: 'a webhook was disabled', what: `${log.client}: ${hook?.state} ${hook?.reason}`, about: [hook] }];
}
