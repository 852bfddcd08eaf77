// The nodes and links that the operations of a composite created or restored. The answer lists
// them, and later operations name them. Rules: BAT2, BAT6.
import type { VisibleChange } from '@taskgraph/domain/state/change';
import { Op } from '@taskgraph/wire/codes';

/** A created node with the link to its parent, or a created or restored link. */
export interface OperationResult {
  readonly id?: string;
  readonly link?: string;
}

/** The events of a composite's operations, in order; null for other commands. */
export function eventsIn({ event }: { readonly event: string }, payload: Record<string, unknown>): string[] | null {
  if (event !== 'batch:run') return null;
  return (payload.operations as readonly { readonly event: string }[]).map((operation) => operation.event);
}

/** One entry per operation, from the changes that the caller sees. */
export function operationResults(events: readonly string[], changes: readonly VisibleChange[]): OperationResult[] {
  const results: Record<string, string>[] = events.map(() => ({}));
  for (const { step = 0, op, id, effect } of changes) {
    const [result, event] = [results[step], events[step]];
    if (result === undefined) continue;
    if (event === 'node:add' && op === Op.NODE_ADD) result.id = id;
    if (event === 'node:add' && op === Op.LINK_ADD) result.link = id;
    if (event === 'link:add' && effect !== true && (op === Op.LINK_ADD || op === Op.LINK_RESTORE)) result.id = id;
  }
  return results;
}
