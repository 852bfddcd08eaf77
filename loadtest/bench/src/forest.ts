// Writes a graph of a given size straight into a database, in the form in which the service stores
// it: one owner's tree of projects, each a branch of 100 nodes whose parents are Blocked by their
// children.
import { randomBytes } from 'node:crypto';
import { composeId, slotOf } from '@taskgraph/wire/ids';
import neo4j from 'neo4j-driver';
import { type Access, type Plant, planting } from './planting.ts';

/** A project has a root, nine parts and ten leaves for each part. */
const PARTS = 9;
const LEAVES_A_PART = 10;
const PROJECT = 1 + PARTS + PARTS * LEAVES_A_PART;
/** Projects are children of folders, ten in each, and folders of folders up to one root. */
const FOLDER = 10;
const ROWS_AT_ONCE = 5_000;
/** Nodes with content may be large. */
const FILLED_ROWS_AT_ONCE = 100;

export interface Forest {
  /** The id of the tree's root. */
  readonly root: string;
  /** The ids of each project's root, parts and leaves. */
  readonly projects: readonly Project[];
}

export interface Project {
  readonly root: string;
  readonly parts: readonly string[];
  readonly leaves: readonly string[];
}

const PLANT_NODES = 'UNWIND $rows AS row CREATE (n:Node) SET n = row';

const PLANT_LINKS = `
UNWIND $rows AS row
MATCH (a:Node {id: row.source}), (b:Node {id: row.target})
CREATE (a)-[r:BLOCKS]->(b) SET r = row.fields`;

const FIND_OWNER = 'MATCH (u:User {email: $email}) RETURN u.id AS id';

interface Seed {
  readonly id: string;
  readonly parent: string | null;
  children: number;
}

/** Additional properties of each node. */
type Content = Partial<Readonly<{ description: string; tags: readonly string[] }>>;

/** Creates about `size` nodes for the user with this e-mail. */
export async function plantForest(access: Access, email: string, size: number, content: Content = {}): Promise<Forest> {
  return planting(access, async (plant) => {
    const owner = (await plant(FIND_OWNER, { email }))[0]?.id as string;
    const seeds: Seed[] = [];
    const projects = grow(seeds, slotOf(owner), Math.round(size / PROJECT));
    await write(plant, owner, seeds, content);
    return { root: (seeds[0] as Seed).id, projects };
  });
}

/** The nodes of `count` projects, with the folders above them. */
function grow(seeds: Seed[], slot: number, count: number): Project[] {
  const start = Date.now();
  const sow = (parent: Seed | null): Seed => {
    const at = seeds.length;
    const id = composeId(slot, start + (at >> 10), at & 1023, randomBytes(6));
    const seed = { id, parent: parent?.id ?? null, children: 0 };
    if (parent !== null) parent.children++;
    seeds.push(seed);
    return seed;
  };
  let folders = [sow(null)];
  while (folders.length * FOLDER < count) {
    folders = folders.flatMap((folder) => Array.from({ length: FOLDER }, () => sow(folder)));
  }
  return Array.from({ length: count }, (_, index) => {
    const root = sow(folders[index % folders.length] as Seed);
    const parts = Array.from({ length: PARTS }, () => sow(root));
    const leaves = parts.flatMap((part) => Array.from({ length: LEAVES_A_PART }, () => sow(part)));
    return { root: root.id, parts: parts.map(({ id }) => id), leaves: leaves.map(({ id }) => id) };
  });
}

async function write(plant: Plant, owner: string, seeds: readonly Seed[], content: Content): Promise<void> {
  const now = new Date().toISOString();
  const nodes = seeds.map((seed) => ({ ...nodeRow(seed, owner, now), ...content }));
  const links = seeds.filter(({ parent }) => parent !== null).map((seed) => linkRow(seed, owner, now));
  const atOnce = Object.keys(content).length > 0 ? FILLED_ROWS_AT_ONCE : ROWS_AT_ONCE;
  for (const [statement, rows] of [
    [PLANT_NODES, nodes],
    [PLANT_LINKS, links],
  ] as const) {
    for (let from = 0; from < rows.length; from += atOnce) {
      await plant(statement, { rows: rows.slice(from, from + atOnce) });
    }
  }
}

function nodeRow({ id, children }: Seed, ownerId: string, now: string) {
  const blocked = children > 0;
  return {
    ...{ id, ownerId, title: 'task', description: '', tags: [], assignee: [], createdTime: now, lastEditedTime: now },
    status: neo4j.int(blocked ? 2 : 0),
    ...(blocked ? { statusBefore: neo4j.int(0) } : {}),
    openBlockers: neo4j.int(children),
    ...{ type: neo4j.int(0), priority: neo4j.int(0), volume: neo4j.int(0), version: neo4j.int(1), x: 0, y: 0, z: 0 },
    ...{ independent: false, pinned: false, collapsed: false, publicBranch: false, inTrash: false },
  };
}

function linkRow({ id: source, parent: target }: Seed, ownerId: string, now: string) {
  const id = composeId(slotOf(source), Date.now(), 0, randomBytes(6));
  return {
    source,
    target,
    fields: {
      ...{ id, ownerId, sourceOwnerId: ownerId, targetOwnerId: ownerId, createdTime: now, lastEditedTime: now },
      ...{ type: neo4j.int(0), version: neo4j.int(1) },
      ...{ wasBlocker: true, private: false, conveys: true, trashedWithNode: false },
    },
  };
}
