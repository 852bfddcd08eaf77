// A reader's view of entities that may be trashed or deleted, and the right to restore them.
// Commands, reads and history share these rules. Rules: ACL9, HIS3, HIS7, LNK7, LNK9, TRS2, TRS5.
import { Level } from '@taskgraph/wire/codes';
import type { StoredChange } from '../state/batch.ts';
import type { LinkState, NodeState, Reader } from '../state/state.ts';
import { allows, maySeeDeletion, seesGrant, seesLink, seesToken } from './reader-access.ts';

/** The parts of a node and a link that these rules read. */
export type ObservedNode = Pick<NodeState, 'id' | 'ownerId' | 'inTrash'>;
export type ObservedLink = Pick<
  LinkState,
  'private' | 'ownerId' | 'conveys' | 'inTrash' | 'trashedBy' | 'source' | 'target'
>;

export interface ObservedEnds {
  readonly link: ObservedLink;
  readonly source: ObservedNode;
  readonly target: ObservedNode;
}

/** A reader's levels in the observed state. */
export interface Levels {
  readonly reader: Reader;
  level(node: ObservedNode): Level | null;
  /** The level as if the node also belonged to these feeds. */
  levelWith(node: ObservedNode, feeds: readonly string[]): Level | null;
  /** The feeds that nodes below this one inherit (ACL2). */
  inheritedFeeds(node: ObservedNode): readonly string[];
}

/** A reader with access to the observed state. */
export interface Observer extends Levels {
  /** Null if the node does not exist. */
  node(id: string): ObservedNode | null;
  link(id: string): ObservedLink | null;
  /** The feeds that a trashed node would inherit by a restore now. */
  feedsOnRestore(node: ObservedNode): readonly string[];
  /** Ids of the users who may learn that a deleted entity existed; empty if it never did (TRS5). */
  formerReaders(id: string): readonly string[];
}

/**
 * The reader's level on an active node; null if the node is invisible, trashed or missing (ACL1).
 */
export function levelIfActive(observer: Pick<Observer, 'node' | 'level'>, id: string): Level | null {
  const node = observer.node(id);
  return node === null || node.inTrash ? null : observer.level(node);
}

/** The reader's level on a node; for a trashed node, the level after a restore now (TRS2). */
export function levelIfRestored(
  observer: Pick<Observer, 'reader' | 'level' | 'levelWith' | 'feedsOnRestore'>,
  node: ObservedNode,
): Level | null {
  if (!node.inTrash || node.ownerId === observer.reader.id) return observer.level(node);
  return observer.levelWith(node, observer.feedsOnRestore(node));
}

/** The observer with the levels that a restore would give on trashed nodes. */
export function asIfRestored(observer: Observer): Observer {
  return { ...observer, level: (node) => levelIfRestored(observer, node) };
}

/**
 * The level on a link's source. Trashing the link may have hidden the source from the user who did
 * it, so that user is judged as if the link were active (LNK7).
 */
export function levelOnSource(levels: Levels, { link, source, target }: ObservedEnds): Level | null {
  const isTrasher = link.inTrash && link.trashedBy === levels.reader.id;
  const conveyed = isTrasher && link.conveys && !link.private && !source.inTrash && !target.inTrash;
  return conveyed ? levels.levelWith(source, levels.inheritedFeeds(target)) : levels.level(source);
}

/** Whether the reader sees a link, including one that they trashed themselves (LNK7, LNK9). */
function seesWithEnds(levels: Levels, found: ObservedEnds): boolean {
  const { link, target } = found;
  return seesLink(link, levels.reader, (end) =>
    end === link.source ? levelOnSource(levels, found) : levels.level(target),
  );
}

/**
 * Whether the reader may restore or swap a link: its owner if both ends are visible, and editors of
 * the target (LNK7).
 */
export function mayRestoreOrSwap(levels: Levels, found: ObservedEnds): boolean {
  const { link, target } = found;
  const mayMove = link.ownerId === levels.reader.id || allows(levels.level(target), Level.EDITOR);
  return mayMove && seesWithEnds(levels, found);
}

/**
 * Whether the reader may trash a link: its owner, an editor of the target who sees the source, or
 * an admin of the source (LNK7).
 */
export function mayTrashLink(levels: Levels, found: ObservedEnds): boolean {
  const { link, source, target } = found;
  if (link.ownerId === levels.reader.id) return true;
  const mayEdit = allows(levels.level(target), Level.EDITOR) && levelOnSource(levels, found) !== null;
  // The link shares the source, so an admin of the source may end it.
  return mayEdit || allows(levels.level(source), Level.ADMIN);
}

/**
 * The visible part of a change: all of it, all except the public token (ACL9), or only its
 * existence (TRS5).
 */
export type Disclosure = 'whole' | 'tokenless' | 'bare';

/** The visible part of a stored change; null if the reader may not learn of it. */
export function disclosureOf(
  observer: Observer,
  change: Pick<StoredChange, 'kind' | 'id' | 'email'>,
): Disclosure | null {
  return change.kind === 'link' ? linkDisclosure(observer, change.id) : nodeDisclosure(observer, change);
}

function linkDisclosure(observer: Observer, id: string): Disclosure | null {
  const link = observer.link(id);
  if (link === null) return bareIf(maySeeDeletion(observer.reader, observer.formerReaders(id)));
  const [source, target] = [observer.node(link.source), observer.node(link.target)];
  if (source === null || target === null) return null;
  return seesWithEnds(asIfRestored(observer), { link, source, target }) ? 'whole' : null;
}

/** The visible part of a change of a node, or of a grant on it (ACL9). */
function nodeDisclosure(
  observer: Observer,
  { kind, id, email }: Pick<StoredChange, 'kind' | 'id' | 'email'>,
): Disclosure | null {
  const node = observer.node(id);
  if (node === null) return bareIf(maySeeDeletion(observer.reader, observer.formerReaders(id)));
  const level = levelIfRestored(observer, node);
  if (level === null) return null;
  if (kind === 'node') return seesToken(level) ? 'whole' : 'tokenless';
  return seesGrant(observer.reader, email, () => level) ? 'whole' : null;
}

/** History shows some users that a deleted entity existed (TRS5). */
function bareIf(recalled: boolean): Disclosure | null {
  return recalled ? 'bare' : null;
}
