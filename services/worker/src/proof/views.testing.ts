// Compares all that readers can ask for with what the reference model says: graph, trash, history, branches, grants, feeds, changes.
import type { Database } from '@taskgraph/graph-store/database';
import { feedMembers, feedsOf } from '@taskgraph/testkit/model/feeds';
import { historyOf } from '@taskgraph/testkit/model/history';
import { branchOf, grantsOn, graphOf, trashOf } from '@taskgraph/testkit/model/reads';
import { sightOf } from '@taskgraph/testkit/model/sight';
import type { ModelUser } from '@taskgraph/testkit/model/state';
import type { ReplyMessage } from '@taskgraph/wire/messages';
import { expect } from 'vitest';
import type { TestWorker } from '../harness.testing.ts';
import { findLeaks, type Moment } from './leaks.testing.ts';

type Body = Record<string, unknown>;
interface Entity {
  readonly id: string;
  readonly [field: string]: unknown;
}

/** One look at everything. `pick` is any number: it chooses page sizes and what is asked for besides. */
export interface Look {
  readonly worker: TestWorker;
  readonly database: Database;
  readonly users: readonly ModelUser[];
  readonly moment: Moment;
  readonly tokens: readonly string[];
  /** Ids that a user was ever told, with some more. */
  readonly learned: (user: ModelUser, more: Iterable<string>) => ReadonlySet<string>;
  readonly pick: number;
  readonly replicas: Map<string, Replica>;
}

/** What a client holds that only asks what changed. */
export interface Replica {
  position: string;
  readonly nodes: Map<string, Entity>;
  readonly links: Map<string, Entity>;
}

export async function compareViews(look: Look): Promise<void> {
  for (const user of look.users) {
    const graph = await compareGraph(look, user);
    await catchUp(look, user, graph);
    await compareTrash(look, user);
    await compareHistory(look, user);
    await compareFeeds(look, user);
    await compareGrants(look, user);
    await compareBranch(look, user);
  }
  await compareBranch(look, null);
  await compareMembers(look);
}

/** Asks, looks for leaks in the answer, and gives its body or its error. */
async function ask(look: Look, user: ModelUser | null, event: string, payload: object): Promise<Body> {
  const reply: ReplyMessage = await look.worker.ask(user, event, payload);
  const { state, now } = look.moment;
  const token = (payload as { root?: string }).root ?? '';
  const presented = look.tokens.includes(token) ? [token] : [];
  const sight = sightOf(state, user ?? { token }, now, presented);
  const told = user === null ? [] : look.learned(user, sight.ids);
  const known = event === 'changes:get' ? { ...sight, ids: new Set(told) } : sight;
  const leaks = findLeaks(reply, [known], [payload, user?.id], look.tokens);
  expect({ event, payload, by: user?.username ?? 'anonymous', leaks }).toMatchObject({ leaks: [] });
  return reply.ok ? reply.body : { error: reply.error };
}

async function walk(look: Look, user: ModelUser | null, event: string, payload: object): Promise<Body> {
  const found = { nodes: [] as Entity[], links: [] as Entity[] };
  const limit = [5_000, 7, 23][look.pick % 3] as number;
  let position: unknown;
  for (let after: unknown = null; ; ) {
    const page = await ask(look, user, event, { ...payload, limit, ...(after === null ? {} : { after }) });
    if ('error' in page) return page;
    if (after === null) position = page.position;
    found.nodes.push(...(page.nodes as Entity[]));
    found.links.push(...(page.links as Entity[]));
    after = page.next;
    if (after === null) return { ...page, ...found, position };
  }
}

async function compareGraph(look: Look, user: ModelUser): Promise<Body> {
  const { state, now } = look.moment;
  const graph = await walk(look, user, 'graph:get', {});
  const expected = graphOf(state, user, now);
  expect(seen(user, 'graph', graph)).toEqual(seen(user, 'graph', expected));
  return graph;
}

/** Nodes and links of a page, with whose they are, so that a difference tells it. */
function seen(
  user: ModelUser | null,
  what: string,
  { nodes, links }: Body | { nodes: unknown; links: unknown },
): object {
  return { reader: user?.username ?? 'anonymous', what, nodes: withSortedRoots(nodes), links: withSortedRoots(links) };
}

function withSortedRoots(entities: unknown): unknown[] {
  return (entities as { shareRoots?: string[] }[]).map(({ shareRoots, ...rest }) =>
    shareRoots === undefined ? rest : { ...rest, shareRoots: [...shareRoots].sort() },
  );
}

async function compareTrash(look: Look, user: ModelUser): Promise<void> {
  const { state, now } = look.moment;
  const limit = [1_000, 3, 10][look.pick % 3] as number;
  const found = { nodes: [] as Entity[], links: [] as Entity[] };
  for (let offset = 0, hasMore = true; hasMore; offset += limit) {
    const page = await ask(look, user, 'trash:page', { limit, offset });
    found.nodes.push(...(page.nodes as Entity[]));
    found.links.push(...(page.links as Entity[]));
    hasMore = page.hasMore as boolean;
  }
  expect(seen(user, 'trash', found)).toEqual(seen(user, 'trash', trashOf(state, user, now)));
}

async function compareHistory(look: Look, user: ModelUser): Promise<void> {
  const { state, now } = look.moment;
  const some = (list: readonly { readonly id: string }[]) => list[look.pick % Math.max(list.length, 1)]?.id ?? user.id;
  const scopes = [
    null,
    { type: 'NODE' as const, id: some(state.nodes) },
    { type: 'GRAPH' as const, id: look.pick % 4 === 0 ? user.id : some(state.nodes) },
    { type: 'LINK' as const, id: some(state.links) },
    { type: 'USER' as const, id: user.id },
  ];
  const asked = [scopes[0], scopes[1 + (look.pick % 4)]] as (typeof scopes)[number][];
  for (const scope of asked) {
    const payload = { limit: 1_000, ...(scope === null ? {} : { scopeType: scope.type, scopeId: scope.id }) };
    const page = await ask(look, user, 'history:page', payload);
    const expected = historyOf(state, user, scope, now);
    if ('error' in expected) expect([scope, page]).toMatchObject([scope, expected]);
    else {
      const asked = { scope, reader: user.username };
      expect({ ...asked, batches: plainBatches(page.batches) }, JSON.stringify(asked)).toEqual({
        ...asked,
        batches: plainBatches(expected.batches),
      });
    }
  }
}

interface ShownBatch extends Body {
  readonly ops: readonly { readonly id: number; readonly forwardPatch: Body; readonly inversePatch: Body }[];
}

/** The rules leave open how operations are counted, and whether a patch repeats whose entity it is, or what did not change (HIS1). */
function plainBatches(batches: unknown): object[] {
  return (batches as ShownBatch[]).map(({ undoOf: _undo, redoOf: _redo, ops, ...batch }) => ({
    ...batch,
    ops: ops
      .map(({ id: _count, forwardPatch, inversePatch, ...op }) => {
        const [forward, inverse] = [plainPatch(forwardPatch, inversePatch), plainPatch(inversePatch, forwardPatch)];
        return { ...op, forwardPatch: forward, inversePatch: inverse };
      })
      .sort(byText),
  }));
}

/** The order of side effects is tested where cascades are (BLK5). */
function byText(one: object, other: object): number {
  return JSON.stringify(one) < JSON.stringify(other) ? -1 : 1;
}

function plainPatch(patch: Body, other: Body): Body {
  const identity = ['Id', 'OwnerUsername', 'OwnerEmail', 'LastEditedTime'];
  const same = (field: string) => field in other && JSON.stringify(patch[field]) === JSON.stringify(other[field]);
  return Object.fromEntries(Object.entries(patch).filter(([field]) => !identity.includes(field) && !same(field)));
}

async function compareFeeds(look: Look, user: ModelUser): Promise<void> {
  const { feeds } = await ask(look, user, 'reader:feeds', {});
  const plain = (list: unknown) =>
    (list as { feed: string; level: number }[]).map(({ feed, level }) => `${feed} at ${level}`).sort();
  const expected = feedsOf(look.moment.state, user, look.moment.now);
  expect({ reader: user.username, feeds: plain(feeds) }).toEqual({ reader: user.username, feeds: plain(expected) });
}

async function compareGrants(look: Look, user: ModelUser): Promise<void> {
  const { state, now } = look.moment;
  const shared = state.nodes.filter(({ id }) => state.grants.some(({ nodeId }) => nodeId === id));
  const node = shared[look.pick % Math.max(shared.length, 1)] ?? state.nodes.at(0);
  if (node === undefined) return;
  const { error, grants } = await ask(look, user, 'node:access:list', { id: node.id });
  const expected = grantsOn(state, user, node.id, now);
  const sorted = (list: unknown) =>
    [...((list ?? []) as { email: string }[])].sort((a, b) => (a.email < b.email ? -1 : 1));
  const [is, should] = [
    { error, grants: sorted(grants) },
    { error: undefined, ...expected },
  ];
  expect(is).toEqual({ error: should.error, grants: sorted('grants' in should ? should.grants : []) });
}

/** By a token that is, was or never was valid, and by a node's id. */
async function compareBranch(look: Look, user: ModelUser | null): Promise<void> {
  const { state, now } = look.moment;
  const node = state.nodes[look.pick % Math.max(state.nodes.length, 1)];
  const tokens = [look.tokens[look.pick % Math.max(look.tokens.length, 1)], look.tokens.at(-1)];
  const roots = [...tokens, user === null ? undefined : node?.id, 'a-token-that-never-was'];
  for (const root of new Set(roots.filter((one) => one !== undefined))) {
    const page = await walk(look, user, 'branch:get', { root });
    const expected = branchOf(state, user, root, now);
    const what = `branch of ${root}`;
    if ('error' in expected) expect([what, page.error]).toEqual([what, expected.error]);
    else {
      expect([what, page.error]).toEqual([what, undefined]);
      expect(seen(user, what, page)).toEqual(seen(user, what, expected));
    }
  }
}

/** Stored rows of each node in feeds that somebody reads, against the least fixpoint. */
async function compareMembers({ database, moment, users }: Look): Promise<void> {
  const { state, now } = moment;
  const rows = await database.read(
    `UNWIND $ids AS id MATCH (n:Node {id: id})
     RETURN n.id AS id, 'user:' + n.ownerId AS own, [(n)-[m:IN]->(:Feed) | m.feed] AS feeds`,
    { ids: state.nodes.map(({ id }) => id) },
  );
  for (const user of users) {
    for (const { feed } of feedsOf(state, user, now)) {
      const stored = rows
        .filter(({ own, feeds }) => own === feed || (feeds as string[]).includes(feed))
        .map(({ id }) => id);
      const active = stored.filter((id) => state.nodes.some((node) => node.id === id && !node.inTrash));
      expect({ feed, nodes: active.sort() }).toEqual({ feed, nodes: [...feedMembers(state, feed).nodes].sort() });
    }
  }
}

/** A client that asks what changed since it last asked holds what it would read anew. */
async function catchUp(look: Look, user: ModelUser, graph: Body): Promise<void> {
  const fresh = replicaOf(graph);
  const held = look.replicas.get(user.id);
  look.replicas.set(user.id, fresh);
  if (held === undefined) return;
  let lost = 0;
  for (let cursor: unknown; ; ) {
    const answer = await ask(look, user, 'changes:get', { since: held.position, ...(cursor ? { cursor } : {}) });
    if (answer.resetRequired === true) return;
    for (const node of answer.nodes as Entity[]) held.nodes.set(node.id, node);
    for (const link of answer.links as Entity[]) held.links.set(link.id, link);
    const gone = answer.gone as { nodes: string[]; links: string[] };
    for (const id of gone.nodes) held.nodes.delete(id);
    for (const id of gone.links) held.links.delete(id);
    lost += (answer.feeds as { lost: string[] }).lost.length;
    cursor = answer.next;
    if (answer.hasMore !== true) break;
  }
  // Of feeds that were lost the client has to ask which of their nodes are left (EVT2).
  if (lost > 0) for (const id of held.nodes.keys()) if (!fresh.nodes.has(id)) held.nodes.delete(id);
  for (const [id, { source, target }] of held.links) {
    if (!held.nodes.has(source as string) || !held.nodes.has(target as string)) held.links.delete(id);
  }
  expect(told(user, held)).toEqual(told(user, fresh));
}

function replicaOf({ position, nodes, links }: Body): Replica {
  const byId = (list: unknown) => new Map((list as Entity[]).map((one) => [one.id, one]));
  return { position: position as string, nodes: byId(nodes), links: byId(links) };
}

/** A level and the roots may move without the node: a client knows them by its feeds. */
function told(user: ModelUser, { nodes, links }: Replica): object {
  const plain = ({ access: _access, shareRoots: _roots, publicToken: _token, ...node }: Entity) => node;
  const linkFields = ({ id, source, target, type, version, wasBlocker, private: hidden }: Entity) => ({
    ...{ id, source, target, type, version, wasBlocker, hidden },
  });
  const sorted = (list: Iterable<Entity>) => [...list].sort((a, b) => (a.id < b.id ? -1 : 1));
  return {
    reader: user.username,
    nodes: sorted(nodes.values()).map(plain),
    links: sorted(links.values()).map(linkFields),
  };
}
