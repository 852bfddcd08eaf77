// What a run must have done so that its checks prove something. A check that never met its case passes
// without a reason: that is an anomaly too.
import { Status } from '@taskgraph/wire/codes';
import { CLAIM_EXPIRY, keyOf } from './check-commands.ts';
import type { Anomaly, ClaimAnswer, Command, History, StoredData } from './history.ts';
import { orderBatches, type SerialOrders } from './serial-order.ts';
import { DUE } from './webhooks/check-due.ts';

/** Of work. In less time few claims end, and few messages are sent. */
const LEAST_MS = 150_000;
/** Acknowledged ones. A run whose backends start cold again and again has fewer. */
const LEAST_COMMANDS = 1_500;
/** A run's last part, in which its queues still have nodes. */
const LAST_PART = 1 / 3;

/** How often something happened, by a name that completes "not exercised: ". */
type Counts = Readonly<Record<string, number>>;

/** Only for runs that are long enough. */
export function checkCoverage(history: History, stored: StoredData): Anomaly[] {
  const { commands, claims } = history;
  const [fromMs, untilMs] = spanOf(commands);
  const acknowledged = commands.filter(({ outcome }) => outcome.kind === 'done').length;
  if (untilMs - fromMs < LEAST_MS || acknowledged < LEAST_COMMANDS) return [];
  const orders = orderBatches(stored, new Map(commands.map((command) => [keyOf(command), command])));
  const lateMs = untilMs - (untilMs - fromMs) * LAST_PART;
  const counts: Counts = {
    ...ofClaims(claims, commands, stored),
    ...ofQueues(orders, { commands, claims }, lateMs),
    ...ofWebhooks(orders, history),
  };
  return Object.entries(counts)
    .filter(([, count]) => count === 0)
    .map(([name]) => ({ kind: 'not exercised', what: name, about: [] }));
}

/** From the first call to the last one. */
function spanOf(commands: readonly Command[]): [number, number] {
  const calls = commands.map(({ calledMs }) => calledMs);
  return [calls.reduce((one, other) => Math.min(one, other), Infinity), calls.reduce((a, b) => Math.max(a, b), 0)];
}

function ofClaims(claims: readonly ClaimAnswer[], commands: readonly Command[], { batches }: StoredData): Counts {
  const taken = claims.filter(({ claim }) => claim !== null);
  const naming = commands.filter(({ payload }) => payload.claim !== undefined || payload.claimId !== undefined);
  return {
    'repeats of a claim under its key': taken.length - new Set(taken.map(keyOf)).size,
    'commands of ended claims': naming.filter(
      ({ outcome }) => outcome.kind === 'refused' && outcome.code === 'conflict.claim_ended',
    ).length,
    'renewals of claims': naming.filter(({ event, outcome }) => event === 'node:claim:renew' && outcome.kind === 'done')
      .length,
    'completions by agents': naming.filter(
      ({ payload, outcome }) => payload.status === Status.COMPLETED && outcome.kind === 'done',
    ).length,
    'the expiry of claims by jobs': batches.filter(({ event }) => event === CLAIM_EXPIRY).length,
  };
}

/** By the root of each queue. */
function ofQueues(orders: SerialOrders, { commands, claims }: Pick<History, 'commands' | 'claims'>, lateMs: number) {
  const roots = commands.flatMap(({ event, payload: { root } }) =>
    event === 'node:claim' && typeof root === 'string' ? [root] : [],
  );
  const late = claims.flatMap(({ claim, calledMs }) => (claim !== null && calledMs >= lateMs ? [claim.node] : []));
  const counts: Record<string, number> = roots.length === 0 ? { 'claims of a queue': 0 } : {};
  for (const root of new Set(roots))
    counts[`claims of the queue ${root} in the last third`] = late.filter(
      (node) => orders.entityOf(node)?.root === root,
    ).length;
  return counts;
}

function ofWebhooks(orders: SerialOrders, { webhooks }: History): Counts {
  const counts: Record<string, number> = webhooks.length === 0 ? { webhooks: 0 } : {};
  const add = (name: string, count: number) => {
    counts[name] = (counts[name] ?? 0) + count;
  };
  for (const { client, user, events: types, messages } of webhooks) {
    const accepted = messages.filter(({ isAccepted, type }) => isAccepted && type === 'graph.changed');
    const dates = messages.filter(({ isAccepted, type }) => isAccepted && type === 'graph.due');
    if (types.join() !== DUE) add(`accepted messages of ${client}`, accepted.length);
    if (types.includes(DUE)) add(`accepted messages about due dates of ${client}`, dates.length);
    const ofOthers = dates.flatMap((message) => message.events).filter(({ id }) => isOfOther(orders, id, user));
    add('due dates of shared branches in messages', ofOthers.length);
    add('repeated attempts of a message', messages.length - new Set(messages.map(({ id }) => id)).size);
    const events = accepted.flatMap((message) => message.events);
    for (const type of ['access.gained', 'access.lost'])
      add(`events ${type}`, events.filter((event) => event.type === type).length);
    const shared = events.filter(({ id, type }) => !type.startsWith('access.') && isOfOther(orders, id, user));
    add('changes of shared branches in messages', shared.length);
  }
  return counts;
}

function isOfOther(orders: SerialOrders, id: string, user: string): boolean {
  const owner = orders.entityOf(id)?.owner.id;
  return owner !== undefined && owner !== user;
}
