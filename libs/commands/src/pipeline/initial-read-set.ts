// The read set of a command before it is decided.
import type { ReadSet } from '@taskgraph/domain/state/read-set';
import type { Command } from './command.ts';

/** Owners that are known without a look-up: a node's owner never changes, nor do a link's two ends. */
export interface KnownOwners {
  /** The owner of a node, if it is known. */
  ownerOf(nodeId: string): string | undefined;
  /** Whether a user is known to own both ends of a link. */
  ownsBothEnds(linkId: string, userId: string): boolean;
}

/** The declared read set, with the grants by which its caller has access to what it names. */
export function readSetOf({ definition, payload, message: { actor } }: Command, owners: KnownOwners): ReadSet {
  const readSet = definition.readSet(payload);
  const wish = (id: string) => ({ id, readerId: actor.id, email: actor.email });
  return {
    ...readSet,
    access: (readSet.nodes ?? []).filter((id) => owners.ownerOf(id) !== actor.id).map(wish),
    linkAccess: (readSet.links ?? []).filter((id) => !owners.ownsBothEnds(id, actor.id)).map(wish),
  };
}
