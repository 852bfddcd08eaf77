// The view of one reader on entities that may be in the trash or gone, and what of them they may bring back: one judgement for commands, reads
// and history. Rules: ACL9, HIS3, HIS7, LNK7, LNK9, TRS2, TRS5.
import { Level } from '@taskgraph/wire/codes';
import type { StoredChange } from '../state/batch.ts';
import type { LinkState, NodeState, Reader } from '../state/state.ts';
import { allows, mayRecall, seesGrant, seesLink, seesToken } from './access.ts';

/** A node and a link as far as these rules ask for them. */
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

/** A reader's levels on the state that they look at. */
export interface Levels {
  readonly reader: Reader;
  level(node: ObservedNode): Level | null;
  /** The level on a node as if it belonged to these feeds too. */
  levelWith(node: ObservedNode, feeds: readonly string[]): Level | null;
  /** The feeds that a node below this one belongs to with it (ACL2). */
  inheritedFeeds(node: ObservedNode): readonly string[];
}

/** A reader, and all of the state that they look at. */
export interface Observer extends Levels {
  /** Null where there is no such node. */
  node(id: string): ObservedNode | null;
  link(id: string): ObservedLink | null;
  /** The feeds that a node in the trash would inherit if it were restored now. */
  feedsOnRestore(node: ObservedNode): readonly string[];
  /** Ids of the users who may know that something was there that was deleted for good; none for what never was. */
  recallers(id: string): readonly string[];
}

/** The reader's level on a node in its place, by its id; null for one that they don't see, is in the trash, or is not there (ACL1). */
export function levelIfActive(observer: Pick<Observer, 'node' | 'level'>, id: string): Level | null {
  const node = observer.node(id);
  return node === null || node.inTrash ? null : observer.level(node);
}

/** The reader's level on a node; on one in the trash, what it would be if the node were restored now (TRS2). */
export function levelIfRestored(
  observer: Pick<Observer, 'reader' | 'level' | 'levelWith' | 'feedsOnRestore'>,
  node: ObservedNode,
): Level | null {
  if (!node.inTrash || node.ownerId === observer.reader.id) return observer.level(node);
  return observer.levelWith(node, observer.feedsOnRestore(node));
}

/** The same levels with nodes in the trash counted as what they would come back to. */
export function asIfRestored(observer: Observer): Observer {
  return { ...observer, level: (node) => levelIfRestored(observer, node) };
}

/** The level on a link's source. Trashing the link may have taken it out of its trasher's sight: they are judged as if it were active (LNK7). */
export function levelOnSource(levels: Levels, { link, source, target }: ObservedEnds): Level | null {
  const isTrasher = link.inTrash && link.trashedBy === levels.reader.id;
  const conveyed = isTrasher && link.conveys && !link.private && !source.inTrash && !target.inTrash;
  return conveyed ? levels.levelWith(source, levels.inheritedFeeds(target)) : levels.level(source);
}

/** Whether the reader sees a link, also one that they trashed themselves (LNK7, LNK9). */
function seesWithEnds(levels: Levels, found: ObservedEnds): boolean {
  const { link, target } = found;
  return seesLink(link, levels.reader, (end) =>
    end === link.source ? levelOnSource(levels, found) : levels.level(target),
  );
}

/** Whether the reader may restore or swap a link: its owner while they see both ends, and editors of the target (LNK7). */
export function mayRestoreOrSwap(levels: Levels, found: ObservedEnds): boolean {
  const { link, target } = found;
  const mayMove = link.ownerId === levels.reader.id || allows(levels.level(target), Level.EDITOR);
  return mayMove && seesWithEnds(levels, found);
}

/** Whether the reader may trash a link: its owner, an editor of the target who sees the source, and an admin of the source (LNK7). */
export function mayTrashLink(levels: Levels, found: ObservedEnds): boolean {
  const { link, source, target } = found;
  if (link.ownerId === levels.reader.id) return true;
  const mayEdit = allows(levels.level(target), Level.EDITOR) && levelOnSource(levels, found) !== null;
  // The source is their node, which the link shares.
  return mayEdit || allows(levels.level(source), Level.ADMIN);
}

/** How much of a change a reader is shown: all of it, all but the public token (ACL9), or only that it was there (TRS5). */
export type Disclosure = 'whole' | 'tokenless' | 'bare';

/** How much of a stored change the reader is shown; null for nothing, not even that it was. */
export function disclosureOf(
  observer: Observer,
  change: Pick<StoredChange, 'kind' | 'id' | 'email'>,
): Disclosure | null {
  return change.kind === 'link' ? linkDisclosure(observer, change.id) : nodeDisclosure(observer, change);
}

function linkDisclosure(observer: Observer, id: string): Disclosure | null {
  const link = observer.link(id);
  if (link === null) return bareIf(mayRecall(observer.reader, observer.recallers(id)));
  const [source, target] = [observer.node(link.source), observer.node(link.target)];
  if (source === null || target === null) return null;
  return seesWithEnds(asIfRestored(observer), { link, source, target }) ? 'whole' : null;
}

/** Of a node, and of a grant on it: that one is shown to the node's admins and to its grantee (ACL9). */
function nodeDisclosure(
  observer: Observer,
  { kind, id, email }: Pick<StoredChange, 'kind' | 'id' | 'email'>,
): Disclosure | null {
  const node = observer.node(id);
  if (node === null) return bareIf(mayRecall(observer.reader, observer.recallers(id)));
  const level = levelIfRestored(observer, node);
  if (level === null) return null;
  if (kind === 'node') return seesToken(level) ? 'whole' : 'tokenless';
  return seesGrant(observer.reader, email, () => level) ? 'whole' : null;
}

/** Of what was deleted for good, history tells some that it was there (TRS5). */
function bareIf(recalled: boolean): Disclosure | null {
  return recalled ? 'bare' : null;
}
