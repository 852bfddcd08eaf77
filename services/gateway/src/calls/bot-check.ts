// Refuses the calls by which a bot would own a node, before they reach a worker: a worker of the
// previous release knows no bots. Workers of this release decide the same. Rule: BOT1.
import { refuseNodeOwnedByBot } from '@taskgraph/commands/rules/bots';
import type { ActingUser } from '@taskgraph/wire/actor';
import type { Refusal } from '@taskgraph/wire/errors';
import { atIndex } from '@taskgraph/wire/operations/batch-parser';

interface SentOperation {
  readonly event: string;
  readonly payload?: Readonly<Record<string, unknown>>;
}

/** The payload is valid. */
export function refuseNodesOfBot(
  event: string,
  payload: Readonly<Record<string, unknown>>,
  user: ActingUser,
): Refusal | null {
  if (user.maintainer === undefined) return null;
  if (event === 'node:add') return refuseNodeOwnedByBot(user, payload);
  if (event !== 'batch:run') return null;
  for (const [index, operation] of (payload.operations as readonly SentOperation[]).entries()) {
    const refusal = operation.event === 'node:add' ? refuseNodeOwnedByBot(user, operation.payload ?? {}) : null;
    if (refusal !== null) return atIndex(refusal, index);
  }
  return null;
}
