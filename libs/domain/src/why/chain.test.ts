import { Status } from '@taskgraph/wire/codes';
import { expect, test } from 'vitest';
import { type BlockingLink, type Chain, type ChainNode, walkChain } from './chain.ts';

const READER = { id: 'ann' };

interface Graph {
  readonly nodes: readonly ChainNode[];
  readonly links: readonly BlockingLink[];
  readonly unseen?: readonly string[];
}

const node = (id: string, status: Status = Status.BLOCKED): ChainNode => ({ id, status, inTrash: false });
const open = (id: string) => node(id, Status.AVAILABLE);
/** `ab` is a link by which a blocks b. */
const link = (ends: string, more: Partial<BlockingLink> = {}) => ({
  id: ends,
  source: ends[0] as string,
  target: ends[1] as string,
  private: false,
  ownerId: 'bob',
  ...more,
});

function walked({ nodes, links, unseen = [] }: Graph, start: string): Chain {
  const byId = new Map(nodes.map((each) => [each.id, each]));
  const walk = walkChain(byId.get(start) as ChainNode, READER, ({ id }) => !unseen.includes(id));
  for (let step = walk.next(); step.length > 0; step = walk.next()) {
    const found = step.flatMap((id) => byId.get(id) ?? []);
    const going = walk.takeNodes(new Map(found.map((each) => [each.id, each])));
    walk.takeLinks(links.filter(({ target }) => going.includes(target)));
  }
  return walk.result();
}

test('[WHY1] blockers are sorted by link, and workable nodes nearest first, then by id', () => {
  const nodes = [node('z'), node('m'), open('b'), open('a'), node('n', Status.IN_PROGRESS)];
  const links = [link('mz'), link('nz', { id: '1' }), link('nz', { id: '2' }), link('bm'), link('am')];
  expect(walked({ nodes, links }, 'z')).toEqual({
    blockedBy: [
      { id: 'n', link: '1', status: Status.IN_PROGRESS },
      { id: 'n', link: '2', status: Status.IN_PROGRESS },
      { id: 'm', link: 'mz', status: Status.BLOCKED },
    ],
    workable: ['n', 'a', 'b'],
    hidden: false,
    truncated: false,
  });
});

test('[WHY1] a node without blockers has no workable nodes, not even itself', () => {
  expect(walked({ nodes: [open('a')], links: [] }, 'a')).toEqual({
    blockedBy: [],
    workable: [],
    hidden: false,
    truncated: false,
  });
});

test("[WHY1 WHY3] a walk stops at an invisible node and at another user's private link", () => {
  const nodes = [node('z'), node('x'), open('a'), node('y'), open('b')];
  const hidden = { blockedBy: [{ id: 'y', link: 'yz', status: Status.BLOCKED }], workable: ['b'], hidden: true };
  const links = [link('xz'), link('ax'), link('yz'), link('by')];
  expect(walked({ nodes, links, unseen: ['x'] }, 'z')).toMatchObject(hidden);
  const withPrivate = [link('xz', { private: true }), ...links.slice(1)];
  expect(walked({ nodes, links: withPrivate }, 'z')).toMatchObject(hidden);
  const own = [link('xz', { private: true, ownerId: READER.id }), ...links.slice(1)];
  expect(walked({ nodes, links: own }, 'z')).toMatchObject({ workable: ['a', 'b'], hidden: false });
});

test('[WHY1] a node that is completed or trashed during the walk no longer blocks', () => {
  const nodes = [node('z'), node('a', Status.COMPLETED), { ...open('b'), inTrash: true }];
  const links = [link('az'), link('bz'), link('cz')];
  expect(walked({ nodes, links }, 'z')).toMatchObject({ blockedBy: [], workable: [], hidden: false });
});

test('[WHY1] a walk ends after 20,000 visible nodes and is truncated', () => {
  const id = (index: number) => String(index).padStart(5, '0');
  const many = Array.from({ length: 20_001 }, (_, index) => id(index));
  const links = (ids: readonly string[]) => ids.map((source) => ({ ...link('xz'), id: source, source }));
  const nodesOf = (ids: readonly string[]) => [node('z'), ...ids.map((each) => open(each))];
  const few = many.slice(0, 19_999);
  expect(walked({ nodes: nodesOf(few), links: links(few) }, 'z').truncated).toBe(false);
  const cut = walked({ nodes: nodesOf(many), links: links(many) }, 'z');
  expect([cut.truncated, cut.workable.length]).toEqual([true, 19_999]);
});

test('[WHY3] the result does not reveal the number of invisible nodes', () => {
  const many = Array.from({ length: 120_000 }, (_, index) => ({ ...link('xz'), id: `l${index}`, private: true }));
  const graph = { nodes: [node('z')], links: many.slice(0, 1) };
  expect(walked({ ...graph, links: many }, 'z')).toEqual(walked(graph, 'z'));
});
