// The hits of a search as a store for React: one object until they change, and no change lost
// between the first read and the subscription.
import { expect, test } from 'vitest';
import { node, searchedGraph, turn } from '../test/support/small-graph.ts';
import { findStoreOf } from './find-store.ts';

const named = (id: string, more: object = {}) => node(id, { title: id, tags: [], description: '', ...more });

test('[FIND9] reading returns the same object until the hits change', async () => {
  const graph = await searchedGraph([named('a'), named('b')], []);
  const { read, subscribe } = findStoreOf(graph, { text: 'a' });
  const first = read();
  let told = 0;
  const end = subscribe(() => told++);
  expect([first?.map(({ id }) => id), read()]).toEqual([['a'], first]);
  expect(read()).toBe(first);
  graph.change('nodes', named('b', { priority: 1 }));
  await turn();
  expect([read() === first, told]).toEqual([true, 0]);
  graph.change('nodes', named('b', { title: 'also' }));
  await turn();
  expect([read()?.length, told]).toEqual([2, 1]);
  end();
});

test('[FIND9] hits that change before the first subscription are read in their current form', async () => {
  const graph = await searchedGraph([named('a')], []);
  const { read, subscribe } = findStoreOf(graph, { text: 'a' });
  read();
  graph.remove('nodes', 'a');
  await turn();
  subscribe(() => undefined);
  expect(read()).toEqual([]);
});

test('[FIND9] without its root there are no hits, and an invalid search is refused', async () => {
  const graph = await searchedGraph([named('a')], []);
  expect(findStoreOf(graph, { root: 'x' }).read()).toBeUndefined();
  const { read, subscribe } = findStoreOf(graph, { locale: 'no such' });
  for (const act of [read, () => subscribe(() => undefined)]) {
    expect(act).toThrow(expect.objectContaining({ code: 'bad_request.invalid_locale' }));
  }
});
