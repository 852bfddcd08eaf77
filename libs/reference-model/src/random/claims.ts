// The requests around claims, on the model's state, usually where they have an effect.
import { SYSTEM } from '@taskgraph/wire/actor';
import { levelOf } from '../rules/access.ts';
import type { ModelNode, ModelUser } from '../state.ts';
import type { Request } from './adversarial-steps.ts';
import type { DrawContext, Step } from './step.ts';

/** The kinds of steps, with their frequencies. */
export const CLAIMS: Readonly<Record<string, number>> = {
  'claim:id': 8,
  'claim:next': 4,
  'claim:renew': 3,
  'claim:release': 3,
  'claim:update': 3,
  'claim:expire': 3,
  'node:status': 3,
  'batch:undo': 4,
  'batch:redo': 3,
  wait: 3,
};

/** Combinations that share their numbers, so that they meet on the same nodes. */
export const CLAIM_COMBINATIONS: readonly (readonly string[])[] = [
  ['claim:id', 'batch:undo', 'batch:redo', 'claim:id'],
  ['claim:id', 'claim:renew', 'wait', 'claim:id', 'claim:update'],
  ['claim:id', 'node:status', 'batch:undo', 'claim:id'],
  ['claim:id', 'wait', 'claim:expire', 'batch:undo', 'claim:release'],
  ['claim:id', 'link:add', 'claim:release', 'batch:undo'],
  ['claim:id', 'node:trash', 'node:restore', 'claim:id', 'batch:undo'],
  ['claim:next', 'claim:next', 'claim:update', 'batch:undo'],
];

export function claimRequest(step: Step, drawing: DrawContext): Request {
  const { a, b, c, flag } = step;
  const claimed = drawing.state.nodes.filter(({ claimId }) => claimId !== null);
  const held = claimed[a % Math.max(claimed.length, 1)];
  const lease = c % 3 === 0 ? {} : { lease: 1 + (b % 90) };
  switch (step.kind) {
    case 'claim:id': {
      const node = candidate(step, drawing);
      return node && ['node:claim', { id: node.id, ...lease }, editor(step, drawing, node)];
    }
    case 'claim:next':
      return drawing.queues === true ? ['node:claim', lease] : null;
    case 'claim:expire':
      return held === undefined ? null : ['node:claim:expire', { id: held.id }, SYSTEM];
    default:
  }
  if (held === undefined) return null;
  const { id, claimerId } = held;
  // Sometimes the claim of another node, or another user.
  const claimId = b % 5 === 0 ? claimed[b % claimed.length]?.claimId : held.claimId;
  const claimer = c % 5 === 0 ? undefined : drawing.users.find((user) => user.id === claimerId);
  if (step.kind === 'claim:renew') return ['node:claim:renew', { id, claimId, ...lease }, claimer];
  if (step.kind === 'claim:release') {
    return ['node:claim:release', { id, ...(flag ? { claimId } : {}) }, flag ? claimer : editor(step, drawing, held)];
  }
  const fields = b % 2 === 0 ? { title: `title-${drawing.serial}` } : { status: [0, 1, 3][c % 3] };
  return ['node:update', { id, claim: claimId, ...fields }, claimer];
}

/** Usually a node that may be claimed. */
function candidate({ a, b }: Step, { state }: DrawContext): ModelNode | null {
  const active = state.nodes.filter(({ inTrash }) => !inTrash || b % 17 === 0);
  const free = active.filter(({ status, claimId }) => status === 0 || claimId !== null);
  const among = free.length === 0 || b % 6 === 0 ? active : free;
  return among[a % Math.max(among.length, 1)] ?? null;
}

function editor({ by, c }: Step, { state, users, now }: DrawContext, node: ModelNode): ModelUser | undefined {
  if (c % 7 === 0) return undefined;
  const turned = [...users.slice(by), ...users.slice(0, by)];
  return turned.find((user) => (levelOf(state, user, node, now) ?? 9) <= 2);
}
