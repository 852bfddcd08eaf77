// Random graphs of three users, and each user's access to each node, computed by reachability
// alone. It shares no code with the service.

import type { ActingUser } from '@taskgraph/wire/actor';
import type { Level } from '@taskgraph/wire/codes';
import fc from 'fast-check';
import type { GraphFixture } from './graph-fixture.ts';

const person = fc.nat({ max: 2 });
const spot = fc.nat({ max: 9 });

/** Steps by number: of a person or of a node. */
export const randomGraph = fc.record({
  owners: fc.array(person, { minLength: 10, maxLength: 10 }),
  links: fc.array(
    fc.record({
      from: spot,
      to: spot,
      by: person,
      type: fc.nat({ max: 1 }),
      isPrivate: fc.boolean(),
      conveys: fc.boolean(),
    }),
    { maxLength: 16 },
  ),
  grants: fc.uniqueArray(
    fc.record({
      on: spot,
      to: person,
      level: fc.integer({ min: 1, max: 3 }),
      branch: fc.boolean(),
      showing: fc.boolean(),
    }),
    { maxLength: 5, selector: ({ on, to }) => `${on}|${to}` },
  ),
  trash: fc.array(fc.record({ node: fc.boolean(), at: fc.nat({ max: 15 }), by: person }), { maxLength: 4 }),
});

export type RandomGraph = typeof randomGraph extends fc.Arbitrary<infer T> ? T : never;

/** Applies the steps of a random graph, and skips impossible ones. */
export function sowRandom(graph: GraphFixture, people: readonly ActingUser[], random: RandomGraph): void {
  const { owners, links, grants, trash } = random;
  const ids = owners.map((owner) => graph.node(people[owner] as ActingUser));
  for (const { from, to, by, isPrivate, conveys, type } of links) {
    if (from === to) continue;
    const fields = { ownerId: people[by]?.id as string, private: isPrivate, conveys, type };
    graph.link(ids[from] as string, ids[to] as string, fields);
  }
  for (const { on, to, level, branch, showing } of grants) {
    if (owners[on] === to) continue;
    graph.grant(ids[on] as string, people[to]?.email as string, level as Level, { branch, showing });
  }
  for (const { node, at, by } of trash) {
    const entity = node ? graph.nodes.get(ids[at % ids.length] as string) : [...graph.links.values()][at];
    if (entity !== undefined && !entity.inTrash) graph.trash(entity.id, people[by]);
  }
}

/** These nodes and all nodes that propagating links reach from them (ACL2). */
export function reachFrom({ links }: Pick<GraphFixture, 'links'>, starts: Iterable<string>): Set<string> {
  const reached = new Set(starts);
  for (const at of reached) {
    for (const link of links.values()) {
      if (link.source === at && !link.inTrash && link.conveys && !link.private) reached.add(link.target);
    }
  }
  return reached;
}

/**
 * 9 means no access. `more`: further feeds to which the node would belong if it or its link were
 * restored.
 */
export function accessTo(
  graph: GraphFixture,
  reader: ActingUser,
  id: string,
  more: Iterable<string> = [],
): { level: number; isShown: boolean } {
  const { nodes, grants } = graph;
  const reached = new Set([...(nodes.get(id)?.inTrash ? [id] : reachFrom(graph, [id])), ...more]);
  const own = grants.filter(({ email }) => email === reader.email);
  const through = own.filter(({ nodeId, branch }) => (branch ? reached.has(nodeId) : nodeId === id));
  const inTree = [...reached].some((at) => nodes.get(at)?.ownerId === reader.id);
  const isOwner = nodes.get(id)?.ownerId === reader.id;
  const level = Math.min(...through.map(({ level }) => level), isOwner ? 0 : inTree ? 3 : 9);
  return { level, isShown: inTree || through.some(({ showing }) => showing) };
}
