import { expect, test } from 'vitest';
import { type Ascent, type AscentNode, ascend, MAXIMUM_LINKS, shortenPath, visiblePath } from './ascent.ts';

/** `ab` is a propagating link from a up to b. */
function climbed(links: readonly string[], roots: string[], { unseen = '', own = '', seeks = false } = {}): Ascent {
  const ids = [...new Set(links.join(''))];
  const nodes = new Map(
    ids.map((id): [string, AscentNode] => {
      const above = links.filter(([from]) => from === id).map(([, to]) => to as string);
      return [id, { id, ownerId: own.includes(id) ? 'ann' : 'bob', inTrash: false, above }];
    }),
  );
  const ascent = ascend('n', { roots, owner: seeks ? 'ann' : null }, ({ id }) => !unseen.includes(id));
  for (let step = ascent.next(); step.length > 0; step = ascent.next()) {
    ascent.take(new Map(step.flatMap((id) => (nodes.has(id) ? [[id, nodes.get(id) as AscentNode]] : []))));
  }
  return ascent;
}

test('[WHY2] the path to a root has the fewest visible links', () => {
  const links = ['na', 'ab', 'br', 'nx', 'xr', 'rn'];
  expect(climbed(links, ['r']).pathTo('r')).toEqual(['n', 'x', 'r']);
  expect(climbed(links, ['r'], { unseen: 'x' }).pathTo('r')).toEqual(['n', 'a', 'b', 'r']);
});

test('[WHY2 WHY3] without a visible path, nothing between its ends is shown', () => {
  const links = ['na', 'ab', 'bc', 'cr'];
  const { pathTo } = climbed(links, ['r'], { unseen: 'b' });
  expect(pathTo('r')).toBeNull();
  expect(visiblePath('n', 'r', pathTo('r'))).toEqual(['n', null, 'r']);
});

test("[WHY2] a tree is named by its owner's nearest node, the first by id", () => {
  const links = ['nb', 'nc', 'ba', 'cz'];
  expect(climbed(links, [], { own: 'azc', seeks: true }).nearestOwn).toBe('c');
  expect(climbed(links, [], { own: 'az', seeks: true }).nearestOwn).toBe('a');
});

test('[WHY2] the path from a node to itself has no step', () => {
  expect(climbed(['na'], ['n']).pathTo('n')).toEqual(['n']);
});

test('[WHY2] the middle of a path that is too long is omitted', () => {
  expect(shortenPath(['n', 'a', 'b', 'c', 'r'], 4)).toEqual(['n', 'a', null, 'r']);
  expect(shortenPath(['n', 'a', 'r'], 4)).toEqual(['n', 'a', 'r']);
});

test('[WHY2 LIM5] above its maximum of links the walk ends and is truncated, also after an incomplete read', () => {
  const hub = { id: 'n', ownerId: 'bob', inTrash: false };
  const above = Array.from({ length: MAXIMUM_LINKS + 1 }, (_, at) => `m${at % 3}`);
  const ascent = ascend('n', { roots: ['r'], owner: null }, () => true);
  ascent.take(new Map([['n', { ...hub, above }]]));
  expect([ascent.next(), ascent.truncated]).toEqual([[], true]);
});
