// The plan as a store for React: one object until it changes, and no change lost between the first
// read and the subscription.
import { expect, test } from 'vitest';
import { link, node, plannedGraph, turn } from '../test/support/small-graph.ts';
import { planStoreOf } from './plan-store.ts';

const chain = () => plannedGraph([node('a'), node('b', { status: 2 })], [link('ab')]);

test('[PLAN7] reading returns the same object until the plan changes', async () => {
  const graph = await chain();
  const { read, subscribe } = planStoreOf(graph, { root: 'b' });
  const first = read();
  expect([first?.makespan, read() === first]).toEqual([2, true]);
  let told = 0;
  const end = subscribe(() => told++);
  expect(read()).toBe(first);
  graph.change('nodes', node('a', { title: 'another title' }));
  await turn();
  expect([read() === first, told]).toEqual([true, 0]);
  graph.change('nodes', node('a', { volume: 5 }));
  await turn();
  expect([read()?.makespan, told]).toEqual([6, 1]);
  graph.remove('nodes', 'b');
  await turn();
  expect([read(), told]).toEqual([undefined, 2]);
  end();
});

test('[PLAN7] a plan that changes before the first subscription is read in its current form', async () => {
  const graph = await chain();
  const { read, subscribe } = planStoreOf(graph, { root: 'b' });
  read();
  graph.change('nodes', node('a', { volume: 5 }));
  await turn();
  let told = 0;
  const end = subscribe(() => told++);
  expect([read()?.makespan, told]).toEqual([6, 0]);
  end();
  graph.change('nodes', node('a', { volume: 7 }));
  await turn();
  expect([read()?.makespan, told]).toEqual([8, 0]);
});

test('[PLAN7] without its root there is no plan until the root appears', async () => {
  const graph = await chain();
  const { read, subscribe } = planStoreOf(graph, { root: 'c' });
  expect(read()).toBeUndefined();
  const end = subscribe(() => undefined);
  graph.change('nodes', node('c', { volume: 3 }));
  await turn();
  expect(read()?.makespan).toBe(3);
  end();
});
