// The nodes and links that the operations of a composite brought: the answer names them, and later operations go by them. Rules: BAT2, BAT6.
import type { VisibleChange } from '@taskgraph/domain/state/change';
import { Op } from '@taskgraph/wire/codes';

/** The node that an operation made, with the link to its parent; or the link that it made or brought back. */
export interface OperationResult {
  readonly id?: string;
  readonly link?: string;
}

/** The events of a composite's operations, in order; null where a command is none. */
export function eventsIn({ event }: { readonly event: string }, payload: Record<string, unknown>): string[] | null {
  if (event !== 'batch:run') return null;
  return (payload.operations as readonly { readonly event: string }[]).map((operation) => operation.event);
}

/** One entry for each operation. Of changes that the caller is not shown there is nothing. */
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
