// Whether a caller may know of a stored change: the entity is in their sight now, or would be if it came back. Rules: HIS3, HIS7, TRS2, ACL9.

import { allows } from '@taskgraph/domain/access/access';
import { inheritableFeeds } from '@taskgraph/domain/access/permissions';
import type { Draft } from '@taskgraph/domain/decision/draft';
import type { StoredChange } from '@taskgraph/domain/state/batch';
import type { NodeState } from '@taskgraph/domain/state/state';
import { Level } from '@taskgraph/wire/codes';
import type { Caller, LinkWithEnds } from './caller.ts';
import { feedsOnRestore } from './trash.ts';

/** A caller, and the state that they look at. */
interface Beholder {
  readonly draft: Draft;
  readonly caller: Caller;
}

/** The caller's level on a node; on one in the trash what it would be if the node were restored now (TRS2). */
export function levelOnReturn({ draft, caller }: Beholder, node: NodeState): Level | null {
  if (!node.inTrash || node.ownerId === caller.id) return caller.level(node);
  return caller.levelWith(node, feedsOnRestore(draft, caller, node));
}

/** The caller as a restore judges them: nodes in the trash count as what they would come back to (TRS2). */
export function callerOnReturn(draft: Draft, caller: Caller): Caller {
  const level = (node: NodeState) => levelOnReturn({ draft, caller }, node);
  return { ...caller, level, may: (node, needed) => allows(level(node), needed) };
}

export function mayKnowOf(beholder: Beholder, change: StoredChange): boolean {
  const { draft, caller } = beholder;
  if (change.kind === 'link') return maySeeLink(beholder, change);
  const node = draft.node(change.id);
  if (node === null) return mayKnowOfGone(beholder, change);
  const level = levelOnReturn(beholder, node);
  if (change.kind === 'node') return level !== null;
  return allows(level, Level.ADMIN) || (level !== null && change.email === caller.email);
}

function maySeeLink(beholder: Beholder, change: StoredChange): boolean {
  const { draft, caller } = beholder;
  const link = draft.link(change.id);
  if (link === null) return mayKnowOfGone(beholder, change);
  const [source, target] = [draft.existingNode(link.source), draft.existingNode(link.target)];
  if (!caller.sees(link) || levelOnReturn(beholder, target) === null) return false;
  if (levelOnReturn(beholder, source) !== null) return true;
  // Trashing the link may have taken the source out of the trasher's sight (LNK7).
  return caller.levelWith(source, feedsRegained(caller, { link, source, target })) !== null;
}

/** What the source of a trashed link would inherit if its trasher brought it back. */
export function feedsRegained(caller: Caller, { link, source, target }: LinkWithEnds): string[] {
  const conveyed = link.inTrash && link.trashedBy === caller.id && link.conveys && !link.private;
  return conveyed && !source.inTrash && !target.inTrash ? inheritableFeeds(caller.world, target) : [];
}

/** Of what is gone for good history tells some that it was there (TRS5). */
function mayKnowOfGone({ draft, caller }: Beholder, { id }: StoredChange): boolean {
  return draft.recallers(id).includes(caller.id);
}
