// The start of a replica with a large stored graph, before the service is reached.
import { afterEach, expect, test, vi } from 'vitest';
import { createDevice } from './support/device.ts';
import { countTurns } from './support/turn-count.ts';

afterEach(() => void vi.unstubAllGlobals());

const TASKS = 5_000;

const node = (at: number) => ({ id: `n${at}`, version: 1, title: `Task ${at}`, status: 0 });
const link = (at: number) => ({ id: `l${at}`, version: 1, source: `n${at}`, target: 'n0', type: 0 });

const numbers = Array.from({ length: TASKS }, (_, at) => at);
const META = {
  form: 1,
  uid: 'ann',
  credentials: 'token of ann',
  username: 'ann',
  email: null,
  position: null,
  positionHeads: {},
  heads: {},
  levels: {},
};

test('[EVT2] a large stored graph is restored in several turns, and is complete when the replica is there', async () => {
  const device = createDevice();
  const nodes = numbers.map(node);
  const links = numbers.slice(1).map(link);
  const via = { via: ['ann'], isDoubtful: false, isLevelDerived: false };
  await device.storage.write(
    new Map<string, unknown>([
      ['meta', META],
      ...nodes.map((entity): [string, unknown] => [`node/${entity.id}`, { entity, ...via }]),
      ...links.map((each): [string, unknown] => [`link/${each.id}`, each]),
    ]),
  );
  const turns = countTurns();
  let isThere = false;
  const opening = device.open(device.ann).finally(() => {
    isThere = true;
  });
  // All that needs no other turn of the event loop.
  for (let step = 0; step < 200; step++) await null;
  expect([isThere, turns()]).toEqual([false, 1]);
  const { replica } = await opening;
  // Before each 2,000 of the nodes, and of the links.
  expect(turns()).toBe(6);
  const { nodes: shownNodes, links: shownLinks } = replica.snapshot();
  expect([...shownNodes.values()]).toEqual(nodes);
  expect([...shownLinks.values()]).toEqual(links);
  expect([replica.state, replica.userId]).toEqual(['offline', 'ann']);
  await replica.close();
});
