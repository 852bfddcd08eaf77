import { findIn, type ModelConditions, type ModelSearch } from '@taskgraph/reference-model/find';
import { graphOf } from '@taskgraph/reference-model/reads';
import {
  addGrant,
  addLink,
  addNode,
  ann,
  bob,
  EARLIER,
  LATER,
  NOW,
  world,
} from '@taskgraph/reference-model/small-world';
import type { ModelState } from '@taskgraph/reference-model/state';
import { runs } from '@taskgraph/testkit/runs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Entity } from '../merge-diff.ts';
import { byId, link, node, searchedGraph, turn } from '../test/support/small-graph.ts';
import { findNodes } from './replica-find.ts';
import type { NodeSearch } from './search-check.ts';

const graphWith = (nodes: readonly { readonly id: string }[], links: readonly { readonly id: string }[] = []) => ({
  nodes: byId(nodes),
  links: byId(links),
});
const idsOf = (entities: readonly Entity[] | null) => entities?.map(({ id }) => id) ?? null;
const ANN = { username: 'ann', now: NOW };

const WORDS = ['ship', 'Shore', 'Étude', 'istanbul', 'İşleri', 'later', 'Café'];
const words = fc.array(fc.constantFrom(...WORDS), { maxLength: 3 });
const time = fc.constantFrom(EARLIER, NOW, LATER, '2025-12-24T23:59:59.000Z');
const names = fc.array(fc.constantFrom('ann', 'bob', 'me', 'cleo'), { maxLength: 2 });
const nodes = fc.array(
  fc.record({
    title: words.map((some) => some.join(' ')),
    tags: words,
    description: words.map((some) => some.join(', ')),
    assignee: names,
    status: fc.constantFrom(0, 1, 2, 3),
    priority: fc.nat({ max: 3 }),
    volume: fc.nat({ max: 3 }),
    dueDate: fc.option(time),
    createdTime: time,
    lastEditedTime: time,
    publicToken: fc.constantFrom(null, null, 'token'),
    owner: fc.constantFrom(ann, ann, bob),
    /** A branch grant to ann. */
    level: fc.constantFrom(null, null, 1, 2, 3),
  }),
  { minLength: 1, maxLength: 12 },
);
const links = fc.uniqueArray(
  fc.record({
    from: fc.nat({ max: 11 }),
    to: fc.nat({ max: 11 }),
    type: fc.constantFrom(0, 1),
    private: fc.constantFrom(false, false, true),
    owner: fc.constantFrom(ann, bob),
  }),
  { maxLength: 20, selector: ({ from, to }) => `${from}-${to}` },
);
/** Digits, since a condition names their ends. */
const idOf = (at: number) => `a0${String(at).padStart(2, '0')}`;

const someId = fc.nat({ max: 12 }).map(idOf);
const range = <T>(bound: fc.Arbitrary<T>, [low, high]: readonly [string, string]) =>
  fc.record({ [low]: bound, [high]: bound }, { requiredKeys: [] });
const valueCondition = (list: fc.Arbitrary<string[]>) => fc.oneof(list, fc.record({ all: list }));
const CONDITIONS: { readonly [Name in keyof Required<ModelConditions>]: fc.Arbitrary<unknown> } = {
  id: fc.array(someId, { maxLength: 3 }),
  title: fc.array(fc.constantFrom('SHIP', ' cafe ', 'etude shore', ''), { maxLength: 2 }),
  status: fc.subarray([0, 1, 2, 3]),
  tag: valueCondition(words),
  assignee: valueCondition(names),
  owner: fc.constantFrom('me', 'ann', 'bob'),
  priority: range(fc.nat({ max: 3 }), ['min', 'max']),
  volume: range(fc.nat({ max: 3 }), ['min', 'max']),
  due: fc.oneof(fc.constant('none'), range(time, ['from', 'to'])),
  overdue: fc.boolean(),
  created: range(time, ['from', 'to']),
  edited: range(time, ['from', 'to']),
  completed: range(time, ['from', 'to']),
  ready: fc.boolean(),
  blocked: fc.boolean(),
  blocks: someId,
  waitsFor: someId,
  leaf: fc.boolean(),
  top: fc.boolean(),
  unlinked: fc.boolean(),
  level: fc.subarray([0, 1, 2, 3]),
  published: fc.boolean(),
};
const conditions = fc
  .subarray(Object.keys(CONDITIONS) as (keyof ModelConditions)[], { maxLength: 2 })
  .chain((some) => fc.record(Object.fromEntries(some.map((name) => [name, CONDITIONS[name]]))));
const where = fc
  .tuple(conditions, fc.option(fc.array(conditions, { minLength: 1, maxLength: 2 }), { freq: 3 }))
  .map(([all, any]) => (any === null ? all : { ...all, any }));
const word = fc.constantFrom('s', 'sh', 'SHO', 'etud', 'istan', 'isleri', 'cafe', 'none');
const searches = fc.record(
  {
    root: someId,
    text: fc.array(word, { maxLength: 2 }).map((some) => some.join(' ')),
    where,
    sort: fc.constantFrom('due', 'priority', 'edited', 'created', 'completed', 'title'),
    order: fc.constantFrom('asc', 'desc'),
  },
  { requiredKeys: [] },
) as fc.Arbitrary<ModelSearch>;

test('[FIND9] a replica finds the hits of the reference model, in the same order', () => {
  let hits = 0;
  const property = fc.property(nodes, links, fc.array(searches, { minLength: 5, maxLength: 5 }), (made, ends, some) => {
    const state = stateOf(made, ends);
    const graph = graphOf(state, ann, NOW);
    for (const search of some) {
      const expected = findIn(state, ann, search, NOW);
      const find = () => idsOf(findNodes(graphWith(graph.nodes, graph.links), search as unknown as NodeSearch, ANN));
      if ('error' in expected) {
        // The replica does not have what its reader may not see.
        expect(find).toThrow(expect.objectContaining({ code: 'not_found' }));
      } else {
        expect(find()).toEqual(expected.map(({ id }) => id));
        hits += expected.length;
      }
    }
  });
  fc.assert(property, { numRuns: runs(400) });
  expect(hits).toBeGreaterThan(400);
});

type MadeNodes = typeof nodes extends fc.Arbitrary<infer T> ? T : never;
type MadeLinks = typeof links extends fc.Arbitrary<infer T> ? T : never;

function stateOf(made: MadeNodes, ends: MadeLinks): ModelState {
  const state = world();
  const all = made.map(({ owner, level, publicToken, ...fields }, at) => {
    const token = publicToken === null ? null : `${publicToken}-${at}`;
    const added = addNode(state, idOf(at), owner, { ...fields, publicToken: token });
    if (level !== null && owner !== ann) addGrant(state, added, ann, { level });
    return added;
  });
  for (const { from, to, owner, ...fields } of ends) {
    const [source, target] = [all[from], all[to]];
    if (source !== undefined && target !== undefined && from < to) addLink(state, source, target, owner, fields);
  }
  return state;
}

const owned = (id: string, more: object = {}) =>
  node(id, { title: id, tags: [], description: '', access: 0, ownerUsername: 'ann', ...more });

test('[FIND2 FIND9] `me` as the owner means the user, not every user of that name', () => {
  const graph = graphWith([owned('a'), owned('b', { access: 3 }), owned('c', { access: 3, ownerUsername: 'bob' })]);
  expect(idsOf(findNodes(graph, { where: { owner: 'me' } }, ANN))).toEqual(['a']);
  expect(idsOf(findNodes(graph, { where: { owner: 'ann' } }, ANN))).toEqual(['a', 'b']);
});

test('[FIND9] while the user is unknown, no assignee is `me`, and the level identifies own nodes', () => {
  const graph = graphWith([owned('a', { assignee: ['ann', ''] }), owned('b', { access: 3, assignee: ['me'] })]);
  const unknown = { username: null, now: NOW };
  expect(idsOf(findNodes(graph, { where: { assignee: ['me'] } }, unknown))).toEqual(['b']);
  expect(idsOf(findNodes(graph, { where: { assignee: ['me'] }, sort: 'title' }, ANN))).toEqual(['a', 'b']);
  expect(idsOf(findNodes(graph, { where: { owner: 'me' } }, unknown))).toEqual(['a']);
});

test('[FIND9] a node that the service has not created yet belongs to the user, and has the present times', () => {
  const pending = {
    id: 'pending:node:1',
    title: 'new',
    tags: [],
    description: '',
    status: 0,
    dueDate: null,
    access: 0,
  };
  const graph = graphWith([pending, owned('a', { createdTime: EARLIER, lastEditedTime: EARLIER })]);
  const find = (search: NodeSearch) => idsOf(findNodes(graph, search, ANN));
  expect(find({ sort: 'created', order: 'desc' })).toEqual([pending.id, 'a']);
  expect(find({ where: { owner: 'ann', edited: { from: NOW } } })).toEqual([pending.id]);
});

test('[FIND3 FIND5] without a sort, `order` changes nothing', () => {
  const graph = graphWith([owned('a', { tags: ['ship'] }), owned('b', { title: 'ship' })]);
  for (const order of ['asc', 'desc'] as const)
    expect(idsOf(findNodes(graph, { text: 'ship', order }, ANN))).toEqual(['b', 'a']);
});

test('[FIND2 FIND9] days in ranges mean all of the day in UTC', () => {
  const graph = graphWith([
    owned('a', { dueDate: '2026-12-24T00:00:00.000Z' }),
    owned('b', { dueDate: '2026-12-24T23:59:59.999Z' }),
    owned('c', { dueDate: '2026-12-25T00:00:00.000Z' }),
  ]);
  const find = (due: object) => idsOf(findNodes(graph, { where: { due }, sort: 'due' }, ANN));
  expect(find({ from: '2026-12-24', to: '20261224' })).toEqual(['a', 'b']);
  expect(find({ from: '2026-12-25T01:00+01:00' })).toEqual(['c']);
});

test('[FIND9] titles are sorted by the language', () => {
  const graph = graphWith(['äpple', 'zebra', 'Step 10', 'Step 9'].map((title) => owned(title)));
  const find = (locale: string) => idsOf(findNodes(graph, { sort: 'title', locale }, ANN));
  expect(find('de')).toEqual(['äpple', 'Step 10', 'Step 9', 'zebra']);
  expect(find('sv-u-kn')).toEqual(['Step 9', 'Step 10', 'zebra', 'äpple']);
});

test('[FIND9] a watcher receives each changed list, once for all changes of one turn', async () => {
  const graph = await searchedGraph([owned('a', { priority: 1 }), owned('b', { priority: 2 }), owned('c')], []);
  const told: (string[] | null)[] = [];
  const search: NodeSearch = { where: { priority: { min: 1 } }, sort: 'priority' };
  const end = graph.watchFind(search, (hits) => told.push(idsOf(hits)));
  graph.change('nodes', owned('a', { priority: 3 }));
  graph.change('nodes', owned('b', { priority: 0 }));
  await turn();
  expect(told).toEqual([['a']]);
  graph.change('nodes', owned('c', { title: 'no hit before or after' }));
  graph.change('links', link('ca'));
  await turn();
  expect(told).toHaveLength(1);
  graph.change('nodes', owned('a', { priority: 3, title: 'another title' }));
  await turn();
  graph.remove('nodes', 'a');
  await turn();
  expect(told).toEqual([['a'], ['a'], []]);
  end();
  graph.change('nodes', owned('b', { priority: 9 }));
  await turn();
  expect(told).toHaveLength(3);
});

test('[FIND9] a watcher of a branch follows its links, and receives null while its root is missing', async () => {
  const graph = await searchedGraph([owned('a'), owned('b'), owned('r')], [link('ar')]);
  const told: (string[] | null)[] = [];
  graph.watchFind({ root: 'r', sort: 'title' }, (hits) => told.push(idsOf(hits)));
  graph.change('links', link('br'));
  await turn();
  graph.change('links', link('br', { private: true }));
  await turn();
  graph.remove('nodes', 'r');
  await turn();
  graph.change('nodes', owned('r'));
  await turn();
  expect(told).toEqual([['a', 'b', 'r'], ['a', 'r'], null, ['a', 'r']]);
});

test('[FIND9] a watcher of conditions on links follows the links', async () => {
  const graph = await searchedGraph([owned('a'), owned('b')], [link('ab')]);
  const told: (string[] | null)[] = [];
  graph.watchFind({ where: { leaf: true } }, (hits) => told.push(idsOf(hits)));
  graph.change('links', link('ab', { type: 1 }));
  await turn();
  graph.change('links', link('ab', { type: 1, version: 2 }));
  await turn();
  expect(told).toEqual([['a', 'b']]);
});

test('[FIND9] an invalid search is refused when its watching begins', async () => {
  const graph = await searchedGraph([], []);
  const watch = () => graph.watchFind({ where: { due: { to: 'tomorrow' } } }, () => undefined);
  expect(watch).toThrow(expect.objectContaining({ code: 'bad_request.invalid_where' }));
});
