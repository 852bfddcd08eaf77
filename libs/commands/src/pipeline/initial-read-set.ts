// The initial read set of a command.
import { mergeReadSets, type ReadSet } from '@taskgraph/domain/state/read-set';
import { isRefusal } from '@taskgraph/wire/errors';
import type { Command } from './command.ts';

/** Cached owners. The owner of a node and the ends of a link never change. */
export interface KnownOwners {
  /** The owner of a node, if it is known. */
  ownerOf(nodeId: string): string | undefined;
  /** Whether a user is known to own both ends of a link. */
  ownsBothEnds(linkId: string, userId: string): boolean;
}

/** The declared read set and the candidates, with the caller's grants on its nodes and links. */
export function readSetOf(
  { definition, payload, candidates, message: { actor } }: Command,
  owners: KnownOwners,
): ReadSet {
  const declared = definition.readSet(payload);
  const readSet =
    candidates === undefined || isRefusal(candidates) ? declared : mergeReadSets([declared, { nodes: candidates.ids }]);
  const wish = (id: string) => ({ id, readerId: actor.id, email: actor.email });
  return {
    ...readSet,
    access: (readSet.nodes ?? []).filter((id) => owners.ownerOf(id) !== actor.id).map(wish),
    linkAccess: (readSet.links ?? []).filter((id) => !owners.ownsBothEnds(id, actor.id)).map(wish),
  };
}
