// The requests of steps, on the model's state. They pick entities so that most requests have an
// effect.
import { levelOf } from '../rules/access.ts';
import type { ModelLink, ModelNode, ModelUser } from '../state.ts';
import { ADVERSARIAL, adversarialRequest } from './adversarial-steps.ts';
import { claimRequest } from './claims.ts';
import type { DrawContext, Step } from './step.ts';
import { SYSTEMS, systemRequest } from './system.ts';

/** An id that no entity has. */
const NOBODYS = '00000000-0000-7000-8000-000000000000';

type Request = NonNullable<ReturnType<typeof adversarialRequest>>;

/** The request of a step; without an actor any user sends it. */
export function requestOf(step: Step, drawing: DrawContext): Request {
  if (step.kind in ADVERSARIAL)
    return adversarialRequest(step, drawing) ?? nodeRequest({ ...step, kind: 'node:add' }, drawing);
  if (step.kind in SYSTEMS) return systemRequest(step, drawing) ?? nodeRequest({ ...step, kind: 'node:add' }, drawing);
  if (step.kind.startsWith('claim:'))
    return claimRequest(step, drawing) ?? nodeRequest({ ...step, kind: 'node:add' }, drawing);
  if (step.kind.startsWith('link:')) return linkRequest(step, drawing);
  if (step.kind.startsWith('batch:')) return batchRequest(step, drawing);
  if (step.kind.startsWith('node:access') || step.kind === 'node:showing') return grantRequest(step, drawing);
  if (step.kind.startsWith('node:publish') || step.kind === 'node:unpublish') return publishRequest(step, drawing);
  return nodeRequest(step, drawing);
}

function nodeRequest(step: Step, drawing: DrawContext): Request {
  const { a, b, c, flag } = step;
  const { state, serial } = drawing;
  const trashed = ['node:restore', 'node:delete'].includes(step.kind);
  const node = pickNode(drawing, a, ({ inTrash }) => inTrash === trashed);
  const id = node?.id ?? ghost(drawing, b);
  const editor = suit(step, drawing, node, step.kind === 'node:delete' ? 0 : 2);
  switch (step.kind) {
    case 'node:add': {
      const text = {
        title: `title-${serial}`,
        ...(c % 4 === 0 ? { description: `text-${serial}`, tags: [`tag-${serial}`] } : {}),
      };
      const fields = {
        ...text,
        ...(c % 5 === 0 ? { independent: flag } : {}),
        ...(c % 6 === 0 ? { status: [0, 1, 3][b % 3] } : {}),
        ...(c % 7 === 0 ? { dueDate: later(drawing, b) } : {}),
      };
      const alone = b % 4 === 0 || state.nodes.length < 6;
      return alone ? ['node:add', fields] : ['node:add', { target: id, ...fields }, editor];
    }
    case 'node:status':
      return ['node:update', { id, status: [0, 1, 3, 3, 3, 2][b % 6] }, editor];
    case 'node:update':
      return ['node:update', { id, ...nodeFields(step, drawing) }, editor];
    default:
      return [step.kind, { id }, editor];
  }
}

function nodeFields({ b, c, flag }: Step, drawing: DrawContext): Record<string, unknown> {
  const { serial } = drawing;
  const all: Record<string, unknown>[] = [
    { title: `title-${serial}` },
    { independent: flag },
    { independent: flag, status: [0, 1, 3][c % 3] },
    { title: `title-${serial}`, status: [0, 1, 3][c % 3] },
    { tags: [`tag-${serial}`], assignee: [`mate-${serial}@example.org`], x: serial / 4 },
    { dueDate: flag ? null : later(drawing, c), priority: c % 3, pinned: flag },
    { description: `text-${serial}`, collapsed: flag, volume: c % 2 },
    {},
  ];
  return all[b % all.length] as Record<string, unknown>;
}

function linkRequest(step: Step, drawing: DrawContext): Request {
  const { a, b, c, flag, other } = step;
  const { state } = drawing;
  if (step.kind === 'link:add') {
    const source = pickNode(drawing, a, ({ inTrash }) => !inTrash || c % 9 === 0);
    const between = other ? pickLink(drawing, b, ({ inTrash }) => inTrash) : undefined;
    const target = pickNode(
      drawing,
      b,
      ({ id, inTrash }) => (!inTrash || c % 9 === 0) && (id !== source?.id || c % 40 === 0),
    );
    const ends =
      between !== undefined
        ? flag
          ? { source: between.source, target: between.target }
          : { source: between.target, target: between.source }
        : { source: source?.id ?? NOBODYS, target: target?.id ?? NOBODYS };
    const maker = state.nodes.find(({ id }) => id === (c % 2 === 0 ? ends.target : ends.source));
    const fields = { ...(c % 3 === 0 ? { type: 1 } : {}), ...(c % 5 === 0 ? { private: true } : {}) };
    return ['link:add', { ...ends, ...fields }, suit(step, drawing, maker, 3)];
  }
  const trashed = step.kind === 'link:restore' || step.kind === 'link:delete';
  const link = pickLink(drawing, a, ({ inTrash }) => inTrash === trashed);
  const target = state.nodes.find(({ id }) => id === link?.target);
  const owner = drawing.users.find(({ id }) => id === link?.ownerId);
  const actor = c % 3 === 0 ? owner : suit(step, drawing, target, 2);
  const id = link?.id ?? ghost(drawing, b);
  if (step.kind !== 'link:update') return [step.kind, { id }, actor];
  const fields = [{ type: c % 2 }, { private: flag }, { type: c % 2, private: flag }, { private: other }][b % 4];
  return ['link:update', { id, ...fields }, actor];
}

function grantRequest(step: Step, drawing: DrawContext): Request {
  const { a, b, c, flag } = step;
  const { state, users } = drawing;
  if (step.kind === 'node:access') {
    const node = pickNode(drawing, a, ({ inTrash }) => !inTrash || c % 13 === 0);
    const to = users[b % users.length] as ModelUser;
    const terms = {
      ...(b % 5 === 0 ? {} : { level: 1 + (c % 3) }),
      ...(flag ? {} : { branch: b % 3 === 0 }),
      ...(c % 4 === 0 ? { due: later(drawing, b) } : {}),
    };
    return [
      'node:access',
      { id: node?.id ?? ghost(drawing, c), email: to.email, ...terms },
      suit(step, drawing, node, 1),
    ];
  }
  const grant = state.grants[a % Math.max(state.grants.length, 1)];
  const node = state.nodes.find(({ id }) => id === grant?.nodeId);
  const [id, email] = [grant?.nodeId ?? ghost(drawing, b), grant?.email ?? (users[0] as ModelUser).email];
  if (step.kind === 'node:showing') {
    return ['node:showing', { id, showing: flag }, users.find((user) => user.email === email)];
  }
  const admin = suit(step, drawing, node, 1);
  if (step.kind === 'node:access:delete') return [step.kind, { id, email }, admin];
  const fields = [
    { level: 1 + (c % 3) },
    { branch: flag },
    { due: flag ? null : later(drawing, c) },
    { level: 1 + (c % 3), branch: flag },
  ][b % 4];
  return [step.kind, { id, email, ...fields }, admin];
}

function publishRequest(step: Step, drawing: DrawContext): Request {
  const { a, b, c, flag } = step;
  const isNew = step.kind === 'node:publish';
  const node = pickNode(drawing, a, ({ inTrash, publicToken }) => !inTrash && (publicToken === null) === isNew);
  const admin = suit(step, drawing, node, 1);
  const id = node?.id ?? ghost(drawing, b);
  if (step.kind === 'node:unpublish') return [step.kind, { id }, admin];
  const branch = c % 3 === 0 ? {} : { branch: flag };
  const due = c % 4 === 0 ? { due: c % 8 === 0 && !isNew ? null : later(drawing, b) } : {};
  if (!isNew && Object.keys({ ...branch, ...due }).length === 0) return [step.kind, { id, branch: flag }, admin];
  return [step.kind, { id, ...branch, ...due }, admin];
}

/**
 * One of the newest batches, usually one that can be undone or redone, and usually by its actor.
 */
function batchRequest(step: Step, drawing: DrawContext): Request {
  const { a, b, c } = step;
  const wanted = step.kind === 'batch:redo';
  const fitting = drawing.state.batches.filter(({ undone }) => c % 10 === 0 || undone === wanted);
  const batch = fitting.at(-1 - (a % Math.min(Math.max(fitting.length, 1), 12)));
  const actor = b % 3 === 0 ? undefined : drawing.users.find(({ id }) => id === batch?.actor.id);
  return [step.kind, { batchId: batch?.id ?? ghost(drawing, b) }, actor];
}

/** Usually a future time, sometimes a past one (ACL5, HOOK5). */
function later({ now }: DrawContext, by: number): string {
  const ahead = [50, 900, 5_000, 7_200_000, -1_000][by % 5] as number;
  return new Date(Date.parse(now) + ahead).toISOString();
}

/** A few nodes are picked more often than others, so that steps meet on them. */
function pickNode({ state }: DrawContext, by: number, fits: (node: ModelNode) => boolean): ModelNode | undefined {
  const fitting = state.nodes.filter(fits);
  const among = by % 3 === 0 ? fitting : fitting.slice(-8);
  return among[Math.floor(by / 3) % Math.max(among.length, 1)];
}

function pickLink({ state }: DrawContext, by: number, fits: (link: ModelLink) => boolean): ModelLink | undefined {
  const fitting = state.links.filter(fits);
  const among = by % 3 === 0 ? fitting : fitting.slice(-8);
  return among[Math.floor(by / 3) % Math.max(among.length, 1)];
}

function ghost({ ghosts }: DrawContext, by: number): string {
  return ghosts[by % Math.max(ghosts.length, 1)] ?? NOBODYS;
}

/** Usually a user with this level on the node: the first one after a random place. */
function suit(
  { by, b, c }: Step,
  { state, users, now }: DrawContext,
  node: ModelNode | undefined,
  level: number,
): ModelUser | undefined {
  if (node === undefined || (b + c) % 6 === 0) return undefined;
  const turned = [...users.slice(by), ...users.slice(0, by)];
  return turned.find((user) => (levelOf(state, user, node, now) ?? 9) <= level);
}
