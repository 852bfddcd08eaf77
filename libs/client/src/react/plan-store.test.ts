// The plan as React reads it: one object until it moves, and nothing missed between the first
// reading and the first hearing.
import { expect, test } from 'vitest';
import { link, node, plannedGraph, turn } from '../test/support/planned-graph.ts';
import { planStoreOf } from './plan-store.ts';

const chain = () => plannedGraph([node('a'), node('b', { status: 2 })], [link('ab')]);

test('[PLAN7] the same object is read until the plan moves, whatever else changes', async () => {
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

test('[PLAN7] a plan that moves before anybody hears of it is read as it is then', async () => {
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

test('[PLAN7] without its root there is no plan until the root comes', async () => {
  const graph = await chain();
  const { read, subscribe } = planStoreOf(graph, { root: 'c' });
  expect(read()).toBeUndefined();
  const end = subscribe(() => undefined);
  graph.change('nodes', node('c', { volume: 3 }));
  await turn();
  expect(read()?.makespan).toBe(3);
  end();
});
