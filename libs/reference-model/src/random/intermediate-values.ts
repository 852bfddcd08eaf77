// Batches that set a value several times, then a change that conflicts with one of the intermediate
// values, then their undo. Independent random steps rarely produce this combination.
import type { Operation } from '../batch-operations.ts';
import type { ModelBatch, ModelLink, ModelNode, ModelState } from '../state.ts';
import { composed } from './batches.ts';
import type { DrawContext, DrawnCommand, DrawnStep, Step } from './step.ts';

/** An id that no entity has. */
const NOBODYS = '00000000-0000-7000-8000-000000000000';

type Request = Pick<DrawnCommand, 'event' | 'payload'>;

/** The kinds of steps, in the order in which they cause conflicts. */
export const INTERMEDIATE = ['twice', 'hinder', 'back'] as const;

/** Null if there is nothing to do. */
export function intermediateStep(step: Step, drawing: DrawContext): DrawnStep | null {
  if (step.kind === 'twice') return twice(step, drawing);
  return step.kind === 'hinder' ? hinder(step, drawing) : back(drawing);
}

function at<T>(list: readonly T[], by: number): T | undefined {
  return list[by % Math.max(list.length, 1)];
}

/**
 * A batch of operations on one link, grant or publication, by the owner of all touched entities.
 */
function twice(step: Step, drawing: DrawContext): DrawnCommand | null {
  const { a, b } = step;
  const node = at(drawing.state.nodes.filter(({ inTrash }) => !inTrash).slice(-12), a);
  const actor = drawing.users.find(({ id }) => id === node?.ownerId);
  if (node === undefined || actor === undefined) return null;
  const more = [onLink, onGrant, onPublication][b % 3] as typeof onGrant;
  const [first] = more(node, step, drawing);
  if (first === undefined) return null;
  return composed({ kind: 'command', actor, ...first, key: null }, step, drawing, (later, state) => {
    const requests = more(node, step, { ...drawing, state });
    return at(requests.slice(1), later.c) ?? first;
  });
}

/** The first begins the batch; the others may follow it. */
function onLink(node: ModelNode, { a, b, c }: Step, { state }: DrawContext): Request[] {
  const own = (id: string) => state.nodes.find((one) => one.id === id)?.ownerId === node.ownerId;
  const links = state.links.filter(
    ({ source, target, ownerId }) => own(source) && own(target) && ownerId === node.ownerId,
  );
  const other = at(
    state.nodes.filter(({ id, inTrash }) => own(id) && !inTrash && id !== node.id),
    a + c,
  );
  const link = b % 2 === 0 ? at(links, a + c) : undefined;
  if (link === undefined && other === undefined) return [];
  const add = { source: other?.id, target: node.id, type: c % 2 };
  const made = state.links.find(({ id }) => id.startsWith('made link'))?.id ?? NOBODYS;
  const id = link?.id ?? made;
  const first = at(['link:swap', 'link:trash', 'link:restore', 'link:update'], c) as string;
  return [
    link === undefined
      ? request('link:add', add)
      : request(first, { id, ...(first === 'link:update' && { type: c % 2 }) }),
    request('link:swap', { id }),
    request('link:update', { id, type: 0 }),
    request('link:trash', { id }),
    request('link:update', { id, type: 1 }),
    request('link:restore', { id }),
    request('link:update', { id, private: (a + c) % 2 === 0 }),
  ];
}

function onGrant({ id, ownerId }: ModelNode, { a, b, c }: Step, { users, state, now }: DrawContext): Request[] {
  const others = users.filter((user) => user.id !== ownerId);
  const granted = state.grants.find(({ nodeId }) => nodeId === id)?.email;
  const email = b % 2 === 0 && granted !== undefined ? granted : (at(others, a)?.email ?? '');
  const update = (terms: object) => request('node:access:update', { id, email, ...terms });
  return [
    c % 2 === 0 && granted === email
      ? update({ due: soon(now) })
      : request('node:access', { id, email, due: soon(now) }),
    update({ due: null }),
    request('node:access:delete', { id, email }),
    update({ due: far(now), level: 1 + (c % 3) }),
    request('node:access', { id, email, level: 1 + (a % 3) }),
    update({ due: soon(now), branch: c % 2 === 0 }),
  ];
}

function onPublication({ id, publicToken }: ModelNode, { a, c }: Step, { now }: DrawContext): Request[] {
  const update = (terms: object) => request('node:publish:update', { id, ...terms });
  return [
    publicToken === null
      ? request('node:publish', { id, due: soon(now) })
      : update({ due: c % 2 === 0 ? soon(now) : far(now) }),
    update({ due: null }),
    request('node:unpublish', { id }),
    update({ due: far(now), branch: a % 2 === 0 }),
    request('node:publish', { id }),
    update({ due: soon(now) }),
  ];
}

function request(event: string, payload: Record<string, unknown>): Request {
  return { event, payload };
}

const soon = (now: string) => new Date(Date.parse(now) + 5_000).toISOString();
const far = (now: string) => new Date(Date.parse(now) + 7_200_000).toISOString();

/** The newest batch that is not undone. */
function newest({ batches }: ModelState): ModelBatch | undefined {
  return batches.findLast(({ event, undone }) => event === 'batch:run' && !undone);
}

/**
 * A step in time passes an intermediate end; otherwise another change prevents the link's
 * intermediate state.
 */
function hinder({ a, b, c, flag }: Step, { state, users }: DrawContext): DrawnStep | null {
  const batch = newest(state);
  const states = (batch?.ops ?? []).flatMap(({ kind, before, after }) => (kind === 'link' ? [before, after] : []));
  const link = at(
    states.filter((one) => one !== null),
    a,
  ) as ModelLink | undefined;
  const owner = state.nodes.find(({ id }) => id === link?.target)?.ownerId;
  const actor = users.find(({ id }) => id === owner);
  if (link === undefined || actor === undefined || c % 5 === 0) {
    return { kind: 'wait', ms: flag ? 6_000 : 3_600_000 };
  }
  const command = (event: string, payload: Record<string, unknown>): DrawnStep => ({
    kind: 'command',
    actor,
    event,
    payload,
    key: null,
  });
  if (b % 4 === 0) return command('node:update', { id: link.target, independent: true });
  if (b % 4 === 1) return command('node:trash', { id: flag ? link.source : link.target });
  // A path from its target to its source.
  const operations: Operation[] = [
    { event: 'node:add', payload: {}, as: 'between' },
    { event: 'link:add', payload: { source: link.target, target: '$between' } },
    { event: 'link:add', payload: { source: '$between', target: link.source } },
  ];
  return command('batch:run', { operations });
}

/** Undoes the newest batch that sets a value more than once. */
function back({ state }: DrawContext): DrawnCommand | null {
  const sets = ({ ops }: ModelBatch) => {
    const own = ops.filter(({ effect }) => !effect);
    return own.length > new Set(own.map(({ kind, id }) => `${kind} ${id}`)).size;
  };
  const batch = state.batches.findLast((one) => one.event === 'batch:run' && !one.undone && sets(one));
  if (batch === undefined) return null;
  return { kind: 'command', actor: batch.actor, event: 'batch:undo', payload: { batchId: batch.id }, key: null };
}
