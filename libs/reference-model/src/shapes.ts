// Refusals by the payload alone: no state could permit it.
import { Status } from '@taskgraph/wire/codes';
import { namesIn, operationsIn } from './batch-operations.ts';
import { type Refusal, refuse } from './refusals.ts';
import type { ModelCommand } from './state.ts';

/** Fields that name the target of a command, and do not change it (GEN9). */
const NAMING: Readonly<Record<string, readonly string[]>> = {
  'node:update': ['id', 'version', 'claim'],
  'node:access:update': ['id', 'email', 'version'],
  'node:publish:update': ['id', 'version'],
  'link:update': ['id', 'version'],
};

/** Refusals by the payload alone. Rules: LNK2, GEN9, BLK2. */
export function checkShape(command: ModelCommand): Refusal | null {
  const { event, payload } = command;
  if (event === 'link:add' && payload.source === payload.target) return refuse('bad_request.self_link');
  if ((event === 'node:add' || event === 'node:update') && payload.status === Status.BLOCKED) {
    return refuse('bad_request.status_blocked');
  }
  const naming = NAMING[event];
  if (naming === undefined) return null;
  const given = Object.keys(payload).filter((name) => payload[name] !== undefined && !naming.includes(name));
  return given.length === 0 ? refuse('bad_request.no_fields') : null;
}

/** Refusals by the payloads alone, of the first invalid operation. Rules: BAT2, BAT3. */
export function checkOperations(command: ModelCommand, isOperation: (event: string) => boolean): Refusal | null {
  const names = new Map<string, string>();
  for (const [index, { event, payload: sent = {}, as }] of operationsIn(command).entries()) {
    const at = (refusal: Refusal) => ({ ...refusal, details: { ...refusal.details, index } });
    if (!isOperation(event)) return at(refuse('bad_request.unknown_event'));
    if (as !== undefined && event !== 'node:add' && event !== 'link:add') {
      return at(refuse('bad_request.unknown_field'));
    }
    if (as !== undefined && names.has(`$${as}`)) return at(refuse('bad_request.duplicate_name'));
    const unknown = namesIn(sent).some((name) => !names.has(name));
    if (unknown) return at(refuse('bad_request.unknown_name'));
    const misshapen = checkShape({ ...command, event, payload: sent });
    if (misshapen !== null) return at(misshapen);
    if (as === undefined) continue;
    names.set(`$${as}`, '');
    if (event === 'node:add' && sent.target !== undefined) names.set(`$${as}.link`, '');
  }
  return null;
}
