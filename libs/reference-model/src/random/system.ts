// The requests of jobs as the system, on the model's state, usually where they have an effect.
import { SYSTEM } from '@taskgraph/wire/actor';
import type { Request } from './adversarial-steps.ts';
import type { DrawContext, Step } from './step.ts';

/** The kinds of steps, with their frequencies. */
export const SYSTEMS: Readonly<Record<string, number>> = { 'system:expire': 5, 'system:purge': 3 };

/** Null if no access could end and no entity could be purged. */
export function systemRequest(step: Step, drawing: DrawContext): Request {
  return step.kind === 'system:expire' ? expiry(step, drawing) : purge(step, drawing);
}

/** Ended, about to end, or deleted. */
function expiry({ a, b }: Step, { state, ghosts, now }: DrawContext): Request {
  const expirations = [
    ...state.grants.map(({ nodeId, due }) => ({ id: nodeId, due })),
    ...state.nodes.map(({ id, publicDue }) => ({ id, due: publicDue })),
  ].filter(({ due }) => due !== null);
  const over = expirations.filter(({ due }) => (due as string) <= now);
  const among = over.length > 0 && b % 4 > 0 ? over : expirations;
  const id = b % 13 === 0 ? ghosts.at(a % Math.max(ghosts.length, 1)) : among[a % Math.max(among.length, 1)]?.id;
  return id === undefined ? null : ['node:expire', { id }, SYSTEM];
}

/**
 * Usually an entity in the trash, sometimes an active one, by a moment around that of its trashing.
 */
function purge({ a, b, c, other }: Step, { state, now }: DrawContext): Request {
  const entities = (other ? state.links : state.nodes).filter(({ inTrash }) => inTrash || b % 7 === 0);
  const found = entities[a % Math.max(entities.length, 1)];
  if (found === undefined) return null;
  const at = Date.parse(found.lastEditedTime);
  const before = new Date([at, at + 1, Date.parse(now) + 1, at - 1][c % 4] as number).toISOString();
  return [other ? 'link:purge' : 'node:purge', { id: found.id, before }, SYSTEM];
}
