// The stored batch of a command, and the owners whom it concerns. Rules: HIS1, TRS5.
import type { OwnedNode } from '@taskgraph/domain/access/permissions';
import type { FeedEntry, NewBatch } from '@taskgraph/domain/state/batch';
import { type Change, concernedOwners, isVisible } from '@taskgraph/domain/state/change';
import { storedChanges } from '@taskgraph/domain/views/history';
import type { DecidedCommand } from './decide-command.ts';

/**
 * Owners of links. They may learn of a link between nodes of other owners, even after its deletion
 * (TRS5).
 */
function linkOwners(changes: readonly Change[]): string[] {
  return changes.flatMap((change) => (change.kind === 'link' ? [(change.after ?? change.before)?.ownerId ?? ''] : []));
}

/** Ids of the owners of everything that a batch touches. */
export function ownersOf(changes: readonly Change[], nodeOf: (id: string) => OwnedNode): Set<string> {
  const nodeChanges = new Map(changes.filter(({ kind }) => kind === 'node').map((change) => [change.id, change]));
  const owned = (id: string) => {
    const change = nodeChanges.get(id);
    return (change?.kind === 'node' ? (change.after ?? change.before) : null) ?? nodeOf(id);
  };
  return new Set([...concernedOwners(changes, owned), ...linkOwners(changes)]);
}

/** The batch as it is stored. */
export function batchOf(
  { command, batchId, changes, skipped, undo, now }: DecidedCommand,
  slices: readonly FeedEntry[],
  nodeOf: (id: string) => OwnedNode,
): NewBatch {
  const { actor, event } = command.message;
  return {
    id: batchId,
    ts: now,
    changes: storedChanges(changes),
    skipped,
    slices,
    owners: [...ownersOf(changes.filter(isVisible), nodeOf)].sort(),
    key: command.key,
    commandId: command.message.id,
    event,
    payloadHash: command.payloadHash,
    actorId: actor.id,
    actorUsername: actor.username,
    actorEmail: actor.email,
    undoOf: undo?.kind === 'undo' ? undo.batchId : null,
    redoOf: undo?.kind === 'redo' ? undo.batchId : null,
    origin: undo?.origin ?? batchId,
    reverses: undo?.reverses ?? false,
  };
}
