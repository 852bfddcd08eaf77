// A bot owns no nodes. Rule: BOT1.
import type { ActingUser } from '@taskgraph/wire/actor';
import { type Refusal, refuse } from '@taskgraph/wire/errors';

/** Refuses a node of a bot's own: one that is added without a parent. */
export function refuseNodeOwnedByBot(
  { maintainer }: ActingUser,
  { target }: { readonly target?: unknown },
): Refusal | null {
  if (maintainer === undefined || target !== undefined) return null;
  return refuse('forbidden.target_required', 'A bot cannot own nodes: name the parent of the new node.');
}
