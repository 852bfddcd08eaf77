// Answers fit the serial order of each owner. The order respects the clock, versions grow by one,
// and each refusal was correct at some moment between request and answer. Rules: GEN10, EVT1.
import type { Anomaly, Batch, Command } from './history.ts';
import { at, type Entity, levelAt, type OwnerOrder, type SerialOrders } from './serial-order.ts';

const EDITOR = 2;

export function checkOrder(orders: SerialOrders, commands: ReadonlyMap<string, Command>): Anomaly[] {
  const found: Anomaly[] = [];
  for (const owner of orders.owners.values())
    found.push(...checkClock(owner, commands), ...checkVersions(orders, owner));
  for (const command of commands.values())
    found.push(...checkAnswer(orders, command), ...checkRefusal(orders, command));
  return [...found, ...checkAcross(orders)];
}

/** A command requested after another one's acknowledgement comes after it in the order. */
function checkClock(owner: OwnerOrder, commands: ReadonlyMap<string, Command>): Anomaly[] {
  return owner.batches.flatMap((batch, index) => {
    const command = commands.get(batch.key);
    if (command === undefined || owner.lowest(command.calledMs) <= index) return [];
    const later = owner.batches[owner.lowest(command.calledMs) - 1];
    const what = `${batch.id} stands before ${later?.id}, which was acknowledged before it was asked for`;
    return [
      {
        kind: 'the order contradicts the clock',
        what,
        about: [command, commands.get(later?.key ?? ''), batch, later],
      },
    ];
  });
}

function checkVersions(orders: SerialOrders, owner: OwnerOrder): Anomaly[] {
  const last = new Map<string, number>();
  const found: Anomaly[] = [];
  for (const batch of owner.batches) {
    for (const { kind, id, before, after } of batch.changes) {
      if (kind === 'grant' || orders.entityOf(id)?.owner !== owner) continue;
      const [was, is] = [before === null ? 0 : Number(before.version), Number(after?.version)];
      if ((last.get(id) ?? 0) !== was || (after !== null && is !== was + 1)) {
        const what = `${id} goes from ${was} to ${is} in ${batch.id}, and was at ${last.get(id)}`;
        found.push({ kind: 'versions do not follow each other', what, about: [batch] });
      }
      last.set(id, is);
    }
  }
  return found;
}

/** The stored batch equals its answer, and was permitted at its position. */
function checkAnswer(orders: SerialOrders, command: Command): Anomaly[] {
  const { outcome, payload, user } = command;
  if (outcome.kind !== 'done' || outcome.batch === null) return [];
  const subject = orders.entityOf(subjectOf(payload) ?? outcome.versions[0]?.id ?? '');
  const owner = subject?.owner;
  const position = owner?.positionOf.get(outcome.batch);
  if (owner === undefined || subject === undefined || position === undefined) return [];
  const batch = owner.batches[position - 1] as Batch;
  const written = new Set(batch.changes.map(({ id, after }) => `${id} ${after?.version}`));
  const other = outcome.versions.filter(({ id, version }) => !written.has(`${id} ${version}`));
  const found: Anomaly[] = [];
  if (other.length > 0)
    found.push({
      kind: 'an answer differs from the stored batch',
      what: JSON.stringify(other),
      about: [command, batch],
    });
  const level = levelAt(orders, subject, user, position - 1);
  if (level === null || level > EDITOR)
    found.push({ kind: 'a command was executed without access', what: `level ${level}`, about: [command, batch] });
  const guarded = at(subject.steps, position - 1)?.version;
  if (typeof payload.version === 'number' && payload.version !== guarded)
    found.push({ kind: 'a stale guard was accepted', what: `${guarded}`, about: [command, batch] });
  return found;
}

/** A refusal was correct at some position that the command could have met. */
function checkRefusal(orders: SerialOrders, command: Command): Anomaly[] {
  const { outcome, payload, user, calledMs, endedMs } = command;
  if (outcome.kind !== 'refused') return [];
  const subject = orders.entityOf(subjectOf(payload) ?? '');
  if (subject === undefined) return [];
  const holds = reasonOf(orders, subject, { ...outcome, user, event: command.event });
  if (holds === undefined) return [];
  const [first, last] = [subject.owner.lowest(calledMs), subject.owner.highest(endedMs)];
  for (let position = first; position <= last; position++) if (holds(position)) return [];
  const what = `${outcome.code} holds at no position from ${first} to ${last}`;
  return [{ kind: 'a refusal was wrong', what, about: [command, subject.steps.slice(-3)] }];
}

interface Refusal {
  readonly code: string;
  readonly details: Readonly<Record<string, unknown>>;
  readonly user: string;
  readonly event: string;
}

function reasonOf(orders: SerialOrders, subject: Entity, { code, details, user, event }: Refusal) {
  const activeAt = (position: number) => at(subject.steps, position)?.active === true;
  if (code === 'version_conflict' && typeof details.version === 'number')
    return (position: number) => at(subject.steps, position)?.version === details.version;
  // For links the other end counts too.
  if (event.startsWith('link:')) return undefined;
  if (code === 'forbidden') {
    return (position: number) => {
      const level = levelAt(orders, subject, user, position);
      // Through a branch grant no reader sees trashed nodes.
      return level === null || level > EDITOR || (level > 0 && !activeAt(position));
    };
  }
  if (code === 'conflict.in_trash' || code === 'conflict.already_trashed' || code === 'conflict.target_in_trash')
    return (position: number) => !activeAt(position);
  if (code === 'not_trashed_node') return activeAt;
  return undefined;
}

/** The entity that a command names; for a new child, its parent. */
function subjectOf({ id, target }: Readonly<Record<string, unknown>>): string | undefined {
  const named = id ?? target;
  return named === undefined ? undefined : String(named);
}

/**
 * Batches of several owners have the same order for each of them: the orders together have no
 * cycle.
 */
function checkAcross({ owners }: SerialOrders): Anomaly[] {
  const next = new Map<string, Set<string>>();
  const before = new Map<string, number>();
  for (const { batches } of owners.values()) {
    for (const [index, { id }] of batches.entries()) {
      const follower = batches[index + 1]?.id;
      const followers = next.get(id) ?? new Set();
      next.set(id, followers);
      if (!before.has(id)) before.set(id, 0);
      if (follower === undefined || followers.has(follower)) continue;
      followers.add(follower);
      before.set(follower, (before.get(follower) ?? 0) + 1);
    }
  }
  const free = [...before].filter(([, count]) => count === 0).map(([id]) => id);
  for (const id of free) {
    for (const follower of next.get(id) ?? []) {
      const left = (before.get(follower) ?? 0) - 1;
      before.set(follower, left);
      if (left === 0) free.push(follower);
    }
  }
  const circle = [...before].filter(([, count]) => count > 0).map(([id]) => id);
  if (circle.length === 0) return [];
  return [{ kind: 'the orders of several owners contradict each other', what: circle.slice(0, 4).join(), about: [] }];
}
