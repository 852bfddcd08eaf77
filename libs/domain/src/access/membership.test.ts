// Compares stored memberships with the least fixpoint of rule ACL2, on random graphs with cycles
// and several owners.
import { runs } from '@taskgraph/testkit/runs';
import { LinkType, Op } from '@taskgraph/wire/codes';
import { branchFeed, userFeed } from '@taskgraph/wire/feeds';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { applyChange } from '../decision/apply-change.ts';
import type { Change } from '../state/change.ts';
import type { GrantState, LinkState, NodeState } from '../state/state.ts';
import { Work } from '../state/work.ts';
import { emptyWorld, type World } from '../state/world.ts';
import { updateMemberships } from './membership.ts';
import { propagates } from './reader-access.ts';

const unbounded = () => new Work({ changes: Number.POSITIVE_INFINITY, steps: Number.POSITIVE_INFINITY });
const NODES = 7;
const ids = Array.from({ length: NODES }, (_, index) => `n${index}`);
const ownerOf = (id: string) => `u${Number(id.slice(1)) % 3}`;

type Step =
  | { kind: 'link'; source: number; target: number; conveys: boolean }
  | { kind: 'drop' | 'swap' | 'hide'; link: number }
  | { kind: 'share'; node: number };

const index = fc.nat({ max: NODES - 1 });
const steps = fc.array(
  fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({ kind: fc.constant('link' as const), source: index, target: index, conveys: fc.boolean() }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constantFrom('drop' as const, 'swap' as const, 'hide' as const),
        link: fc.nat(20),
      }),
    },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('share' as const), node: index }) },
  ),
  { minLength: 1, maxLength: 30 },
);

function start(): World {
  const world = emptyWorld();
  for (const id of ids) {
    const node = { id, ownerId: ownerOf(id), publicToken: null } as NodeState;
    applyChange(world, { kind: 'node', op: Op.NODE_ADD, id, before: null, after: node, fields: [] });
  }
  return world;
}

function changeOf(step: Step, world: World, links: LinkState[]): Change | null {
  if (step.kind === 'share') {
    const grant = { nodeId: ids[step.node], email: 'e', branch: true } as GrantState;
    return { kind: 'grant', op: Op.GRANT_UPSERT, id: grant.nodeId, before: null, after: grant, fields: [] };
  }
  if (step.kind === 'link') {
    if (step.source === step.target) return null;
    const [source, target] = [ids[step.source], ids[step.target]] as [string, string];
    const link = {
      id: `l${links.length}`,
      source,
      target,
      type: LinkType.SECONDARY,
      conveys: step.conveys,
    } as LinkState;
    const after = { ...link, inTrash: false, private: false, ownerId: 'u0' };
    links.push(after);
    return { kind: 'link', op: Op.LINK_ADD, id: link.id, before: null, after, fields: [] };
  }
  const before = links.length === 0 ? null : world.links.get(links[step.link % links.length]?.id ?? '');
  if (!before || before.inTrash) return null;
  const after =
    step.kind === 'swap'
      ? { ...before, source: before.target, target: before.source }
      : { ...before, ...(step.kind === 'drop' ? { inTrash: true } : { private: !before.private }) };
  return { kind: 'link', op: Op.LINK_UPDATE, id: before.id, before, after, fields: [] };
}

/** The least fixpoint, by iteration until nothing changes. */
function fixpoint(links: readonly LinkState[], seeds: ReadonlySet<string>): Map<string, Set<string>> {
  const feeds = new Map(
    ids.map((id) => [id, new Set([userFeed(ownerOf(id)), ...(seeds.has(id) ? [branchFeed(id)] : [])])]),
  );
  for (let moved = true; moved; ) {
    moved = false;
    for (const { source, target } of links.filter(propagates)) {
      for (const feed of feeds.get(target) ?? []) {
        if (feeds.get(source)?.has(feed)) continue;
        feeds.get(source)?.add(feed);
        moved = true;
      }
    }
  }
  for (const id of ids) feeds.get(id)?.delete(userFeed(ownerOf(id)));
  return feeds;
}

/** Whether a row does not lead back over propagating links to the feed's own node or its owner. */
function hangsInAir(world: World, id: string, feed: string): boolean {
  const seen = new Set<string>();
  for (let at = id; ; ) {
    if (seen.has(at)) return true;
    seen.add(at);
    if (feed === userFeed(ownerOf(at)) && at !== id) return false;
    const via = world.members.get(at)?.get(feed);
    if (via === undefined) return true;
    if (via === null) return feed !== branchFeed(at);
    const link = world.links.get(via);
    if (!link || !propagates(link) || link.source !== at) return true;
    at = link.target;
  }
}

test("[ACL2 ACL3] memberships are the least fixpoint after every step, and every row leads back to its feed's node", () => {
  fc.assert(
    fc.property(steps, (list) => {
      const world = start();
      const links: LinkState[] = [];
      const seeds = new Set<string>();
      for (const step of list) {
        const change = changeOf(step, world, links);
        if (change === null) continue;
        applyChange(world, change);
        if (change.kind === 'grant') seeds.add(change.id);
        const moves = updateMemberships(world, [change], unbounded());
        expect(Array.isArray(moves)).toBe(true);
        const present = links
          .map(({ id }) => world.links.get(id))
          .filter((link) => link !== undefined && link !== null);
        const wanted = fixpoint(present, seeds);
        for (const id of ids) {
          const rows = world.members.get(id) ?? new Map();
          expect([id, [...rows.keys()].sort()]).toEqual([id, [...(wanted.get(id) ?? [])].sort()]);
          for (const feed of rows.keys()) expect([id, feed, hangsInAir(world, id, feed)]).toEqual([id, feed, false]);
        }
      }
    }),
    { numRuns: runs(500) },
  );
});

test('[ACL2] a node can belong to 64 feeds and no more', () => {
  const world = start();
  const rows = (count: number) => new Map(Array.from({ length: count }, (_, at) => [branchFeed(`r${at}`), null]));
  const link = { id: 'l', source: 'n0', target: 'n3', conveys: true, inTrash: false, private: false, ownerId: 'u0' };
  const change = {
    kind: 'link',
    op: Op.LINK_ADD,
    id: 'l',
    before: null,
    after: link as LinkState,
    fields: [],
  } as const;
  world.members.set('n3', rows(64));
  applyChange(world, change);
  expect(updateMemberships(world, [change], unbounded())).toHaveLength(64);
  const crowded = start();
  crowded.members.set('n3', rows(65));
  applyChange(crowded, change);
  const refused = updateMemberships(crowded, [change], unbounded());
  expect(refused).toMatchObject({ code: 'conflict.too_many_feeds' });
  expect(refused).not.toMatchObject({ details: { truncated: true } });
  // The details are marked as truncated above 100 nodes.
  const more = Array.from({ length: 101 }, (_, at) => {
    const node = { id: `m${at}`, ownerId: 'u0', publicToken: null } as NodeState;
    applyChange(crowded, { kind: 'node', op: Op.NODE_ADD, id: node.id, before: null, after: node, fields: [] });
    const after = { ...link, id: `l${at}`, source: node.id } as LinkState;
    const added = { kind: 'link', op: Op.LINK_ADD, id: after.id, before: null, after, fields: [] } as const;
    applyChange(crowded, added);
    return added;
  });
  expect(updateMemberships(crowded, more, unbounded())).toMatchObject({ details: { truncated: true } });
});
