// Large graphs of one owner for tests, written straight into the database as the service would have
// left them.
import type { Database } from '@taskgraph/graph-store/driver/database';
import type { ActingUser } from '@taskgraph/wire/actor';
import { Status } from '@taskgraph/wire/codes';
import { initialValues, isStoredInteger, namesWhere } from '@taskgraph/wire/field-table';
import { NODE_FIELDS } from '@taskgraph/wire/node-fields';
import { newId } from './harness.ts';

/**
 * Nodes by number, and links as pairs of numbers: source, target. Blocking links lead from a higher
 * number to a lower one.
 */
export interface Shape {
  readonly nodes: number;
  readonly links: readonly (readonly [source: number, target: number])[];
  readonly type: 'BLOCKS' | 'RELATES';
  /** All nodes are Completed, unless something blocks them. */
  readonly completed?: true;
}

export interface Fixture {
  /** Ids by number. */
  readonly nodes: readonly string[];
  readonly links: readonly string[];
}

const count = (length: number) => Array.from({ length }, (_, index) => index);

/** Node 0 is the root; each node has at most `children`. */
export const tree = (nodes: number, children: number): Shape => ({
  nodes,
  links: count(nodes - 1).map((index) => [index + 1, Math.floor(index / children)]),
  type: 'BLOCKS',
});

/** Each node is the only child of the one before. */
export const chain = (nodes: number): Shape => tree(nodes, 1);

/** Node 0 is the centre, all others are its children. */
export const fan = (nodes: number): Shape => tree(nodes, nodes);

/** The last node is a child of all others. */
export const fanOut = (nodes: number): Shape => ({
  nodes,
  links: count(nodes - 1).map((index) => [nodes - 1, index]),
  type: 'BLOCKS',
});

/** Each node is the only child of the one before, and the first of the last. */
export const cycle = (nodes: number): Shape => ({
  nodes,
  links: count(nodes).map((index) => [(index + 1) % nodes, index]),
  type: 'RELATES',
});

/**
 * Rungs of two nodes, each of them a child of both above it: a walk over all ways from end to end
 * would never end.
 */
export const ladder = (rungs: number): Shape => ({
  nodes: 2 * rungs,
  links: count(rungs - 1).flatMap((rung) =>
    [0, 1].flatMap((lower) => [0, 1].map((upper) => [2 * rung + 2 + lower, 2 * rung + upper] as const)),
  ),
  type: 'BLOCKS',
});

/** Rows that one transaction writes, and the most that it may take, milliseconds. */
const ROWS = 5_000;
const TIMEOUT_MS = 30_000;
const TIME = '2026-01-01T00:00:00.000Z';
const NODE = { ...initialValues(NODE_FIELDS), createdTime: TIME, lastEditedTime: TIME };
const LINK = {
  version: 1,
  private: false,
  conveys: true,
  trashedWithNode: false,
  createdTime: TIME,
  lastEditedTime: TIME,
};
const INTEGERS = namesWhere(NODE_FIELDS, isStoredInteger);

/** Writes a shape, all of it owned by one user. */
export async function sow(database: Database, owner: ActingUser, shape: Shape): Promise<Fixture> {
  const nodes = count(shape.nodes).map(() => newId(0));
  const links = shape.links.map(() => newId(0));
  const statuses = statusesOf(shape);
  await inChunks(
    database,
    SOW_NODES,
    nodes.map((id, index) => ({ ...NODE, id, ownerId: owner.id, ...statuses[index] })),
  );
  const rows = shape.links.map(([source, target], index) => ({
    source: nodes[source],
    target: nodes[target],
    fields: {
      ...LINK,
      id: links[index],
      type: shape.type === 'BLOCKS' ? 0 : 1,
      wasBlocker: shape.type === 'BLOCKS',
      ownerId: owner.id,
      sourceOwnerId: owner.id,
      targetOwnerId: owner.id,
    },
  }));
  await inChunks(database, SOW_LINKS[shape.type], rows);
  return { nodes, links };
}

const asIntegers = (entity: string) =>
  INTEGERS.map((name) => `${entity}.${name} = toInteger(${entity}.${name})`).join(', ');
const SOW_NODES = `UNWIND $rows AS fields CREATE (n:Node) SET n = fields SET ${asIntegers('n')}`;
const SOW_LINKS = {
  BLOCKS: linksOf('BLOCKS'),
  RELATES: linksOf('RELATES'),
};

function linksOf(type: string): string {
  return `UNWIND $rows AS row MATCH (a:Node {id: row.source}), (b:Node {id: row.target})
    CREATE (a)-[r:${type}]->(b) SET r = row.fields, r.type = toInteger(r.type), r.version = toInteger(r.version)`;
}

function statusesOf({ nodes, links, type, completed }: Shape) {
  const before = completed ? Status.COMPLETED : Status.AVAILABLE;
  const open = count(nodes).map(() => 0);
  const sources = new Map<number, number[]>();
  for (const [source, target] of type === 'BLOCKS' ? links : []) {
    const targets = sources.get(source);
    if (targets) targets.push(target);
    else sources.set(source, [target]);
  }
  for (const node of count(nodes).reverse()) {
    if (before === Status.COMPLETED && open[node] === 0) continue;
    for (const target of sources.get(node) ?? []) open[target] = (open[target] ?? 0) + 1;
  }
  return open.map((openBlockers) =>
    openBlockers > 0
      ? { status: Status.BLOCKED, statusBefore: before, openBlockers }
      : { status: before, statusBefore: null, openBlockers },
  );
}

async function inChunks(database: Database, cypher: string, rows: readonly object[]): Promise<void> {
  for (let at = 0; at < rows.length; at += ROWS) {
    const transaction = database.begin(TIMEOUT_MS);
    await transaction.run(cypher, { rows: rows.slice(at, at + ROWS) });
    await transaction.commit();
  }
}
