// Everything that a reader may be sent at one moment, as sets of strings. Any other such string in
// bytes sent to them is a leak.
import type { PageLink, WireNode } from '@taskgraph/wire/entities';
import { historyOf } from '../history.ts';
import type { Fields } from '../patches.ts';
import { branchOf, grantsOn, grantsShown, trashOf } from '../reads.ts';
import type { ModelBatch, ModelGrant, ModelState, ModelUser } from '../state.ts';
import { cachedUntilDue } from '../state-cache.ts';
import { grantsInForce, levelOnRestore, seesNode, seesNodeOrTrash } from './access.ts';
import { feedsOf } from './feeds.ts';
import { shownLinks, shownNode, signedIn } from './reader-view.ts';

/** A reader: a user, or an anonymous holder of a public token. */
export type VisibilityReader = ModelUser | { readonly token: string };

/** The strings that a reader may be sent, derived once for each state. */
export interface Visibility {
  /** Nodes, links, share roots, batches and users. */
  readonly ids: ReadonlySet<string>;
  /** Titles, descriptions and tags, also past ones in visible history. */
  readonly titles: ReadonlySet<string>;
  /** E-mails of users, and the content of a node's `assignee`. */
  readonly emails: ReadonlySet<string>;
  /** Public tokens. */
  readonly tokens: ReadonlySet<string>;
}

type MutableVisibility = Record<keyof Visibility, Set<string>>;

function emptyVisibility(): MutableVisibility {
  return { ids: new Set(), titles: new Set(), emails: new Set(), tokens: new Set() };
}

function addAll(set: Set<string>, values: Iterable<unknown>): void {
  for (const value of values) if (typeof value === 'string') set.add(value);
}

/**
 * Adds the content of shown nodes and links. A user identifier in `assignee` may be an id or an
 * e-mail.
 */
function addGraph(sight: MutableVisibility, graph: { nodes: readonly WireNode[]; links: readonly PageLink[] }): void {
  for (const node of graph.nodes) {
    const assignee = node.assignee ?? [];
    addAll(sight.ids, [node.id, node.lastBatchID, ...node.shareRoots, ...assignee]);
    addAll(sight.titles, [node.title, node.description, ...node.tags]);
    addAll(sight.emails, [node.ownerEmail, ...assignee]);
    addAll(sight.tokens, [node.publicToken]);
  }
  for (const link of graph.links) addAll(sight.ids, [link.id, link.source, link.target]);
}

/** Adds the content of a history patch. Rules: HIS1. */
function addPatch(sight: MutableVisibility, patch: Fields): void {
  const assignee = Array.isArray(patch.Assignee) ? patch.Assignee : [];
  const tags = Array.isArray(patch.Tags) ? patch.Tags : [];
  addAll(sight.ids, [patch.LastBatchID, patch.Source, patch.Target, ...assignee]);
  addAll(sight.titles, [patch.Title, patch.Description, ...tags]);
  addAll(sight.emails, [patch.OwnerEmail, patch.Email, ...assignee]);
  addAll(sight.tokens, [patch.PublicToken]);
}

/** Adds the content of a user's history. Rules: HIS7, TRS5. */
function addHistory(sight: MutableVisibility, state: ModelState, user: ModelUser, now: string): void {
  const history = historyOf(state, user, { scope: null }, now);
  if ('error' in history) return;
  for (const batch of history.batches) {
    sight.ids.add(batch.batchId);
    sight.emails.add(batch.actor.email);
    for (const op of batch.ops) {
      sight.ids.add(op.entityId);
      addPatch(sight, op.forwardPatch);
      addPatch(sight, op.inversePatch);
    }
  }
}

/** Adds the content of a user's trash, and what a restore would show of it. Rules: TRS2, WIRE5. */
function addTrash(sight: MutableVisibility, state: ModelState, user: ModelUser, now: string): void {
  const trash = trashOf(state, user, now);
  for (const link of trash.links) addAll(sight.ids, [link.id, link.source, link.target, link.lastBatchID]);
  for (const entry of trash.nodes) {
    addAll(sight.ids, [entry.id, entry.lastBatchID]);
    addAll(sight.emails, [entry.ownerEmail]);
    const node = state.nodes.find((one) => one.id === entry.id)!;
    addAll(sight.titles, [node.title, node.description, ...node.tags]);
    addAll(sight.emails, node.assignee);
    addAll(sight.ids, node.assignee);
  }
}

/** Adds the grants and tokens that a user may see, in lists and in answers. Rules: ACL9. */
function addGrants(sight: MutableVisibility, state: ModelState, user: ModelUser, now: string): void {
  for (const grant of grantsInForce(state, now)) if (grant.email === user.email) sight.ids.add(grant.nodeId);
  for (const node of state.nodes) {
    const listed = grantsOn(state, user, node.id, now);
    if ('grants' in listed)
      addAll(
        sight.emails,
        listed.grants.map((grant) => grant.email),
      );
    if (!seesNodeOrTrash(state, user, node, now)) continue;
    const level = levelOnRestore(state, user, node, now)!;
    addAll(
      sight.emails,
      grantsShown(state, user, node.id, { level, now }).map((grant) => grant.email),
    );
    if (level <= 1) addAll(sight.tokens, [node.publicToken]);
  }
}

/**
 * Everything that a user may be sent. `presented` are the public tokens with which they read
 * branches.
 */
function visibilityOfUser(state: ModelState, user: ModelUser, now: string, presented: readonly string[]): Visibility {
  const sight = emptyVisibility();
  const reader = signedIn(user);
  sight.ids.add(user.id);
  sight.emails.add(user.email);
  const seen = state.nodes.filter((node) => seesNode(state, user, node, now));
  const links = shownLinks(state, reader, seen);
  addGraph(sight, { nodes: seen.map((node) => shownNode(state, reader, node, now)), links });
  for (const link of state.links)
    if (links.some((shown) => shown.id === link.id)) addAll(sight.ids, [link.lastBatchID]);
  for (const { feed } of feedsOf(state, user, now)) sight.ids.add(feed.slice(feed.indexOf(':') + 1));
  addTrash(sight, state, user, now);
  addGrants(sight, state, user, now);
  addHistory(sight, state, user, now);
  for (const token of presented) addOpened(sight, state, user, token, now);
  return sight;
}

/**
 * Adds the content of a public token's branch, and the token, which the reader knows. Rules: PUB3,
 * PUB4, ACL9.
 */
function addOpened(
  sight: MutableVisibility,
  state: ModelState,
  user: ModelUser | null,
  token: string,
  now: string,
): void {
  sight.tokens.add(token);
  const branch = branchOf(state, user, token, now);
  if (!('error' in branch)) addGraph(sight, branch);
}

/**
 * Everything that an anonymous reader by a public token may be sent. Rules: PUB3, PUB4.
 *
 * PUB4: history is left out, but the pushed diffs of the branch have their `batchId`, which PUB4
 * does not mention.
 */
function visibilityOfAnonymous(state: ModelState, token: string, now: string): Visibility {
  const sight = emptyVisibility();
  addOpened(sight, state, null, token, now);
  for (const batch of state.batches) if (touches(batch, sight.ids)) sight.ids.add(batch.id);
  return sight;
}

/**
 * Whether a batch has a step of a node or link with one of these ids. Grants are pushed to two
 * feeds only (ACL9).
 */
function touches(batch: ModelBatch, ids: ReadonlySet<string>): boolean {
  return batch.ops.some((op) => op.kind !== 'grant' && ids.has(op.id));
}

/**
 * The nodes of those grants in a batch that a reader sees: their own grants, and all grants on
 * nodes of theirs. The batch's actor knows it anyway. Null if there are none. Rules: ACL9.
 */
function concerns(batch: ModelBatch, reader: VisibilityReader, state: ModelState): string[] | null {
  if ('token' in reader) return null;
  const owned = new Set(state.nodes.filter((node) => node.ownerId === reader.id).map((node) => node.id));
  const visibleGrants = batch.ops.filter((op) => {
    if (op.kind !== 'grant') return false;
    return owned.has(op.id) || ((op.after ?? op.before) as ModelGrant).email === reader.email;
  });
  return visibleGrants.length > 0 || batch.actor.id === reader.id ? visibleGrants.map((op) => op.id) : null;
}

/**
 * Everything that a reader may be sent at that moment. Rules: ACL1, ACL2, ACL9, HIS7, LNK9, PUB4,
 * TRS2, TRS5, GEN7.
 *
 * A reader may be sent ids of share roots whose node they do not see (ACL2: the owner sees all).
 */
export function visibilityOf(
  state: ModelState,
  reader: VisibilityReader,
  now: string,
  presented: readonly string[] = [],
): Visibility {
  const name = 'token' in reader ? reader.token : reader.id;
  return cachedUntilDue(state, now, `sight/${[name, ...presented].join('/')}`, () =>
    'token' in reader
      ? visibilityOfAnonymous(state, reader.token, now)
      : visibilityOfUser(state, reader, now, presented),
  );
}

/**
 * Everything that a reader may be sent between two moments: what either allows, and the id and
 * actor of each batch in between that touched any of it. A reader who sees a node trashed sees
 * neither it nor its history afterwards, yet may be sent the batch that removed it. `between` are
 * the states between the operations of a batch, which may send what each would send alone (BAT4).
 * Rules: ACL7, EVT1, PUB4 (no actor for anonymous readers).
 */
export function visibilityAcross(
  before: { readonly state: ModelState; readonly now: string },
  after: { readonly state: ModelState; readonly now: string },
  reader: VisibilityReader,
  presented: readonly string[] = [],
  between: readonly ModelState[] = [],
): Visibility {
  const sight = emptyVisibility();
  for (const { state, now } of [before, ...between.map((state) => ({ state, now: after.now })), after]) {
    const at = visibilityOf(state, reader, now, presented);
    for (const name of ['ids', 'titles', 'emails', 'tokens'] as const) addAll(sight[name], at[name]);
  }
  const known = new Set(before.state.batches.map((batch) => batch.id));
  for (const batch of after.state.batches) {
    if (known.has(batch.id)) continue;
    const granted = concerns(batch, reader, after.state);
    if (!touches(batch, sight.ids) && granted === null) continue;
    addAll(sight.ids, granted ?? []);
    sight.ids.add(batch.id);
    if (!('token' in reader)) sight.emails.add(batch.actor.email);
  }
  return sight;
}
