// The limits on a node's active links, in total and of one viewer. Rules: LNK2, TRS3.

import { permissionsOf } from '@taskgraph/domain/access/permissions';
import type { Draft } from '@taskgraph/domain/decision/draft';
import {
  type LinkDegree,
  MAXIMUM_LINKS_OF_VIEWER,
  MAXIMUM_LINKS_ON_NODE,
} from '@taskgraph/domain/decision/link-degree';
import type { LinkState, NodeState } from '@taskgraph/domain/state/state';
import { Level } from '@taskgraph/wire/codes';
import { type Refusal, refuse } from '@taskgraph/wire/errors';
import type { Caller } from './caller.ts';

/** Refuses another link on a node at its limit (LNK2). */
export function refuseTooManyLinks(draft: Draft, node: NodeState, caller: Caller): Refusal | null {
  if (draft.degree(node.id) >= MAXIMUM_LINKS_ON_NODE) {
    const most = MAXIMUM_LINKS_ON_NODE;
    return refuse('conflict.too_many_links', `A node can have at most ${most} links.`, { id: node.id, most });
  }
  if (caller.level(node) !== Level.VIEWER || draft.linksBy(node.id, caller.id) < MAXIMUM_LINKS_OF_VIEWER) return null;
  const most = MAXIMUM_LINKS_OF_VIEWER;
  return refuse('conflict.too_many_links', `A viewer of a node can have at most ${most} links on it.`, {
    id: node.id,
    most,
  });
}

/** The draft's links on the ends of restorable links. */
export function linkDegreeOf(draft: Draft, candidates: readonly LinkState[], userOf: Caller['userOf']): LinkDegree {
  const ownerOf = (id: string) => draft.existingNode(id).ownerId;
  const ends = candidates.flatMap(({ source, target, ownerId: owner }) =>
    [source, target].map((node) => ({ node, owner })),
  );
  draft.requireLinksBy(ends.filter(({ node, owner }) => ownerOf(node) !== owner));
  return {
    ownerOf,
    degree: draft.degree,
    linksBy: draft.linksBy,
    level: (id, user) => permissionsOf(draft.world, userOf(user), draft.now).level(draft.existingNode(id)),
  };
}
