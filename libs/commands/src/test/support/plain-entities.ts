// Stored nodes and links with default values, for tests.
import { newLink, newNode } from '@taskgraph/domain/state/new-entities';
import type { LinkState, NodeState } from '@taskgraph/domain/state/state';
import { LinkType } from '@taskgraph/wire/codes';

export function plainNode(id: string, time: string, ownerId: string): NodeState {
  return newNode({ id, ownerId }, time, {});
}

export function plainLink(
  id: string,
  ends: { source: string; target: string },
  time: string,
  ownerId: string,
): LinkState {
  return newLink({ id, ...ends, type: LinkType.PRIMARY, private: false, ownerId, conveys: true }, time);
}
