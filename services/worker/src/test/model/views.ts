// Compares the views of all readers with the reference model: graph, trash, history, branches,
// grants, feeds, changes, searches, due dates.

import { type HistoryQuery, historyOf } from '@taskgraph/reference-model/history';
import { branchOf, grantsOn, graphOf, nodesOf, trashOf } from '@taskgraph/reference-model/reads';
import { feedMembers, feedsOf } from '@taskgraph/reference-model/rules/feeds';
import type { ModelUser } from '@taskgraph/reference-model/state';
import { Op } from '@taskgraph/wire/codes';
import { definedFields } from '@taskgraph/wire/defined-fields';
import { expect } from 'vitest';
import { catchUp } from './change-replay.ts';
import { ask, type Body, type Entity, type Look, walk } from './checked-reads.ts';
import { compareDueDates } from './due-dates.ts';
import { comparePlans, compareWhy } from './explanations.ts';
import { compareSearches } from './searches.ts';

export async function compareViews(look: Look): Promise<void> {
  for (const user of look.users) {
    const graph = await compareGraph(look, user);
    await catchUp(look, user, graph);
    await compareNodes(look, user);
    await compareSearches(look, user);
    await compareDueDates(look, user);
    await compareTrash(look, user);
    await compareHistory(look, user);
    await compareFeeds(look, user);
    await compareGrants(look, user);
    await compareBranch(look, user);
    await compareWhy(look, user);
    await comparePlans(look, user);
  }
  await compareBranch(look, null);
  await compareMembers(look);
}

async function compareGraph(look: Look, user: ModelUser): Promise<Body> {
  const { state, now } = look.moment;
  const graph = await walk(look, user, 'graph:get', {});
  const expected = graphOf(state, user, now);
  expect(seen(user, 'graph', graph)).toEqual(seen(user, 'graph', expected));
  return graph;
}

/** Nodes and links of a page with their owners, for the report of a difference. */
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
  for (let hasMore = true; hasMore; ) {
    const offset = found.nodes.length + found.links.length;
    const page = await ask(look, user, 'trash:page', { limit, offset });
    found.nodes.push(...(page.nodes as Entity[]));
    found.links.push(...(page.links as Entity[]));
    hasMore = page.hasMore as boolean;
  }
  expect(seen(user, 'trash', found)).toEqual(seen(user, 'trash', trashOf(state, user, now)));
}

/** Nodes of all kinds and one that never was, together and one of them alone. */
async function compareNodes(look: Look, user: ModelUser): Promise<void> {
  const { state, now } = look.moment;
  const ids = [...state.nodes.map(({ id }) => id), UNKNOWN].filter((_, index) => (index + look.pick) % 3 !== 0);
  const asked = ids.slice(0, 100);
  if (asked.length === 0) return;
  const { nodes, links, missing } = await ask(look, user, 'node:get', { ids: asked, links: true });
  const expected = nodesOf(state, user, asked, now);
  expect({ ...seen(user, 'nodes', { nodes, links }), missing }).toEqual({
    ...seen(user, 'nodes', expected),
    missing: expected.missing,
  });
  const [id] = asked;
  const one = await ask(look, user, 'node:get', { id });
  const alone = nodesOf(state, user, [id as string], now);
  expect({ nodes: withSortedRoots(one.nodes ?? []), error: one.error }).toEqual({
    nodes: withSortedRoots(alone.nodes),
    error: alone.missing[0]?.error,
  });
}

const UNKNOWN = '01890000-0000-7123-8000-000000000002';

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
    for (const query of queriesOf(look)) {
      const payload = { ...query, ...(scope === null ? {} : { scopeType: scope.type, scopeId: scope.id }) };
      const page = await walkHistory(look, user, payload);
      const expected = historyOf(state, user, { ...query, scope }, now);
      if ('error' in expected) expect([scope, page]).toMatchObject([scope, expected]);
      else {
        const asked = { scope, query, reader: user.username };
        expect({ ...asked, batches: plainBatches(page.batches) }, JSON.stringify(asked)).toEqual({
          ...asked,
          batches: plainBatches(expected.batches),
        });
      }
    }
  }
}

/** Everything, and an order with filters that the pick chooses. */
function queriesOf({ pick, moment: { state }, users }: Look): HistoryQuery[] {
  const random = (salt: number, below: number) => ((pick + 1) * 7_919 * (salt + 1)) % Math.max(below, 1);
  const since = state.batches[random(1, state.batches.length)]?.ts;
  const actor = [users[random(2, users.length)]?.username ?? 'system', 'nobody'];
  const types = Object.values(Op);
  const ops = [types[random(3, types.length)], types[random(4, types.length)]] as Op[];
  const filters = [{}, definedFields({ since }), { actor }, { ops }, { ...definedFields({ since }), actor, ops }];
  const filter = filters[random(5, filters.length)] as HistoryQuery;
  return [{}, { order: random(6, 3) === 0 ? 'newest' : 'oldest', ...filter }];
}

/** All pages of a query, by `next`. */
async function walkHistory(look: Look, user: ModelUser, payload: object): Promise<Body> {
  const limit = [1_000, 13, 40][look.pick % 3] as number;
  const batches: object[] = [];
  for (let after: unknown; ; ) {
    const page = await ask(look, user, 'history:page', { ...payload, limit, ...definedFields({ after }) });
    if ('error' in page) return page;
    batches.push(...(page.batches as object[]));
    after = page.next;
    if (page.hasMore !== true) return { ...page, batches };
  }
}

interface ShownBatch extends Body {
  readonly ops: readonly { readonly id: number; readonly forwardPatch: Body; readonly inversePatch: Body }[];
}

/**
 * The rules do not define how operations are counted, and whether a patch repeats the owner or
 * unchanged fields (HIS1).
 */
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

/** The tests of cascades check the order of side effects (BLK5). */
function byText(one: object, other: object): number {
  return JSON.stringify(one) < JSON.stringify(other) ? -1 : 1;
}

function plainPatch(patch: Body, other: Body): Body {
  const identity = ['Id', 'OwnerUsername', 'OwnerEmail', 'LastEditedTime'];
  const same = (field: string) => field in other && JSON.stringify(patch[field]) === JSON.stringify(other[field]);
  const fields = Object.keys(patch).filter((field) => !identity.includes(field) && !same(field));
  // With sorted fields, since operations are sorted by their text.
  return Object.fromEntries(fields.sort().map((field) => [field, patch[field]]));
}

async function compareFeeds(look: Look, user: ModelUser): Promise<void> {
  const asked = { id: user.id, email: user.email };
  const { readers } = await ask(look, user, 'readers:feeds', { readers: [asked] });
  const [{ feeds }] = readers as [{ feeds: unknown }];
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

/** By a valid, an ended and an unknown token, and by a node's id. */
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

/** Compares the stored rows of each node in feeds with readers with the least fixpoint. */
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
