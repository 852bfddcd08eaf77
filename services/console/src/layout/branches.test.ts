import { expect, test } from 'vitest';
import { branchesOf } from './branches.ts';

type Link = readonly [source: number, target: number, type?: number];

function branches(count: number, links: readonly Link[], most = 60) {
  const graph = {
    count,
    sources: Int32Array.from(links, ([source]) => source),
    targets: Int32Array.from(links, ([, target]) => target),
  };
  const result = branchesOf(
    graph,
    Uint8Array.from(links, ([, , type = 0]) => type),
    most,
  );
  return {
    tops: result.tops,
    branchOf: [...result.branchOf],
    links: [...result.counts].map((times, link) => [
      result.graph.sources[link],
      result.graph.targets[link],
      times,
      result.types[link],
    ]),
  };
}

test('[CON23] each task is in the branch of the task for which it was linked first', () => {
  const links: Link[] = [
    [2, 0],
    [3, 1],
    [2, 1],
    [4, 2],
    [4, 3],
  ];
  expect(branches(5, links)).toEqual({
    tops: [0, 1],
    branchOf: [0, 1, 0, 1, 0],
    links: [[0, 1, 2, 0]],
  });
});

test('[CON23] a single task at the top stands for itself, beside the branches below it', () => {
  const links: Link[] = [
    [1, 0],
    [2, 0],
    [3, 1],
    [3, 2, 1],
  ];
  expect(branches(4, links)).toEqual({
    tops: [0, 1, 2],
    branchOf: [0, 1, 2, 1],
    links: [
      [1, 0, 1, 0],
      [2, 0, 1, 0],
      [1, 2, 1, 1],
    ],
  });
});

test('[CON23] the largest branches are shown, and the others together', () => {
  expect(branches(5, [[4, 3]], 3)).toEqual({ tops: [0, 3, -1], branchOf: [0, 2, 2, 1, 1], links: [] });
});

test('[CON23] tasks in a circle are in the last branch', () => {
  const links: Link[] = [
    [1, 2],
    [2, 1],
    [3, 2],
  ];
  expect(branches(4, links)).toEqual({ tops: [0, -1], branchOf: [0, 1, 1, 1], links: [] });
});

test('[CON23] an empty graph has no branches', () => {
  expect(branches(0, [])).toEqual({ tops: [], branchOf: [], links: [] });
});
