// Writes a graph of a given size straight into a database, in the form in which the service stores
// it: one owner's tree of projects, each a branch of 100 nodes whose parents are Blocked by their
// children.
import { randomBytes } from 'node:crypto';
import { composeId, slotOf } from '@taskgraph/wire/ids';
import neo4j from 'neo4j-driver';
import { type DatabaseAccess, type RunStatement, withDirectWrites } from './direct-writes.ts';
import { storedLink, storedNode } from './new-entities.ts';

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

const INSERT_NODES = 'UNWIND $rows AS row CREATE (n:Node) SET n = row';

const INSERT_LINKS = `
UNWIND $rows AS row
MATCH (a:Node {id: row.source}), (b:Node {id: row.target})
CREATE (a)-[r:BLOCKS]->(b) SET r = row.fields`;

const FIND_OWNER = 'MATCH (u:User {email: $email}) RETURN u.id AS id';

interface NewNode {
  readonly id: string;
  readonly parent: string | null;
  children: number;
}

/** Additional properties of each node. */
type Content = Partial<Readonly<{ description: string; tags: readonly string[] }>>;

/** Creates about `size` nodes for the user with this e-mail. `titleOf` gives the title of each. */
export async function createForest(
  access: DatabaseAccess,
  email: string,
  size: number,
  content: Content = {},
  titleOf: (index: number) => string = () => 'task',
): Promise<Forest> {
  return withDirectWrites(access, async (runStatement) => {
    const owner = (await runStatement(FIND_OWNER, { email }))[0]?.id as string;
    const newNodes: NewNode[] = [];
    const projects = addProjects(newNodes, slotOf(owner), Math.round(size / PROJECT));
    await write(runStatement, owner, newNodes, { content, titleOf });
    return { root: (newNodes[0] as NewNode).id, projects };
  });
}

/** The nodes of `count` projects, with the folders above them. */
function addProjects(newNodes: NewNode[], slot: number, count: number): Project[] {
  const start = Date.now();
  const addNode = (parent: NewNode | null): NewNode => {
    const at = newNodes.length;
    const id = composeId(slot, start + (at >> 10), at & 1023, randomBytes(6));
    const newNode = { id, parent: parent?.id ?? null, children: 0 };
    if (parent !== null) parent.children++;
    newNodes.push(newNode);
    return newNode;
  };
  let folders = [addNode(null)];
  while (folders.length * FOLDER < count) {
    folders = folders.flatMap((folder) => Array.from({ length: FOLDER }, () => addNode(folder)));
  }
  return Array.from({ length: count }, (_, index) => {
    const root = addNode(folders[index % folders.length] as NewNode);
    const parts = Array.from({ length: PARTS }, () => addNode(root));
    const leaves = parts.flatMap((part) => Array.from({ length: LEAVES_A_PART }, () => addNode(part)));
    return { root: root.id, parts: parts.map(({ id }) => id), leaves: leaves.map(({ id }) => id) };
  });
}

async function write(
  runStatement: RunStatement,
  owner: string,
  newNodes: readonly NewNode[],
  { content, titleOf }: { readonly content: Content; readonly titleOf: (index: number) => string },
): Promise<void> {
  const now = new Date().toISOString();
  const nodes = newNodes.map((newNode, index) => ({ ...nodeRow(newNode, owner, titleOf(index), now), ...content }));
  const links = newNodes.filter(({ parent }) => parent !== null).map((newNode) => linkRow(newNode, owner, now));
  const atOnce = Object.keys(content).length > 0 ? FILLED_ROWS_AT_ONCE : ROWS_AT_ONCE;
  for (const [statement, rows] of [
    [INSERT_NODES, nodes],
    [INSERT_LINKS, links],
  ] as const) {
    for (let from = 0; from < rows.length; from += atOnce) {
      await runStatement(statement, { rows: rows.slice(from, from + atOnce) });
    }
  }
}

function nodeRow({ id, children }: NewNode, ownerId: string, title: string, now: string) {
  const blocked = children > 0;
  return {
    ...storedNode({ id, ownerId }, title, now),
    ...(blocked ? { status: neo4j.int(2), statusBefore: neo4j.int(0) } : {}),
    openBlockers: neo4j.int(children),
  };
}

function linkRow({ id: source, parent: target }: NewNode, ownerId: string, now: string) {
  const id = composeId(slotOf(source), Date.now(), 0, randomBytes(6));
  return { source, target, fields: storedLink({ id, ownerId }, now) };
}
