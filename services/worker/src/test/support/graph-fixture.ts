// Graphs for tests of reads, written straight into the database: nodes, links, grants and
// publications, with the rows and feeds that follow from them.
import type { Database } from '@taskgraph/graph-store/driver/database';
import type { ActingUser } from '@taskgraph/wire/actor';
import type { Level } from '@taskgraph/wire/codes';
import { branchFeed, nodeFeed, userFeed } from '@taskgraph/wire/feeds';
import { initialValues } from '@taskgraph/wire/field-table';
import { NODE_FIELDS } from '@taskgraph/wire/node-fields';
import { newId } from './harness.ts';

export interface FixtureNode {
  readonly id: string;
  readonly ownerId: string;
  inTrash: boolean;
  [field: string]: unknown;
}

export interface FixtureLink {
  readonly id: string;
  readonly source: string;
  readonly target: string;
  readonly ownerId: string;
  readonly private: boolean;
  readonly conveys: boolean;
  readonly type: number;
  inTrash: boolean;
  trashedWithNode: boolean;
  trashedBy: string | null;
  lastEditedTime: string;
}

export interface SownGrant {
  readonly nodeId: string;
  readonly email: string;
  readonly level: Level;
  readonly branch: boolean;
  readonly due: string | null;
  readonly showing: boolean;
}

export interface GraphFixture {
  readonly nodes: Map<string, FixtureNode>;
  readonly links: Map<string, FixtureLink>;
  readonly grants: SownGrant[];
  node(owner: ActingUser, fields?: Record<string, unknown>): string;
  /** A propagating link, unless `fields` say otherwise. The owner of the source owns it. */
  link(source: string, target: string, fields?: Partial<FixtureLink>): string;
  grant(nodeId: string, email: string, level: Level, fields?: Partial<SownGrant>): void;
  publish(nodeId: string, fields?: { branch?: boolean; due?: string | null }): string;
  /**
   * Trashes a node with its active links, or a link alone. Each call is a millisecond later than
   * the last.
   */
  trash(id: string, by?: ActingUser): void;
  /** Writes the whole graph. */
  save(): Promise<void>;
  /** Removes the graph and its users, so that no other test finds them. */
  remove(users: readonly ActingUser[]): Promise<void>;
}

const NODE = {
  ...initialValues(NODE_FIELDS),
  createdTime: '2026-01-01T00:00:00.000Z',
  lastEditedTime: '2026-01-01T00:00:00.000Z',
};

export function sowGraph(database: Database): GraphFixture {
  const nodes = new Map<string, FixtureNode>();
  const links = new Map<string, FixtureLink>();
  const grants: SownGrant[] = [];
  let trashed = 0;
  const nextTime = () => new Date(Date.UTC(2026, 1, 1) + trashed++).toISOString();
  return {
    nodes,
    links,
    grants,
    node(owner, fields = {}) {
      const id = newId(0);
      nodes.set(id, { ...NODE, id, ownerId: owner.id, ...fields } as unknown as FixtureNode);
      return id;
    },
    link(source, target, fields = {}) {
      const id = newId(0);
      const ownerId = nodes.get(source)?.ownerId as string;
      links.set(id, {
        id,
        source,
        target,
        ownerId,
        private: false,
        conveys: true,
        type: 1,
        inTrash: false,
        trashedWithNode: false,
        trashedBy: null,
        lastEditedTime: '2026-01-01T00:00:00.000Z',
        ...fields,
      });
      return id;
    },
    grant(nodeId, email, level, fields = {}) {
      grants.push({ nodeId, email, level, branch: true, due: null, showing: true, ...fields });
    },
    publish(nodeId, { branch = true, due = null } = {}) {
      const node = nodes.get(nodeId) as FixtureNode;
      Object.assign(node, { publicToken: `token-of-${nodeId}`, publicBranch: branch, publicDue: due });
      return node.publicToken as string;
    },
    trash(id, by) {
      const [node, link] = [nodes.get(id), links.get(id)];
      const lastEditedTime = nextTime();
      if (node) Object.assign(node, { inTrash: true, lastEditedTime });
      const gone = link ? [link] : [...links.values()].filter((one) => isOn(one, id) && !one.inTrash);
      for (const one of gone) {
        Object.assign(one, { inTrash: true, lastEditedTime, trashedWithNode: !link, trashedBy: by?.id ?? null });
      }
    },
    save: () => saveGraph(database, { nodes, links, grants }),
    remove: (users) => removeGraph(database, { nodes, grants }, users),
  };
}

function isOn({ source, target }: FixtureLink, id: string): boolean {
  return source === id || target === id;
}

type Fixture = Pick<GraphFixture, 'nodes' | 'links' | 'grants'>;

/** Feeds with readers: the number of grants, and whether the feed is public. */
function feedsOf({ nodes, grants }: Pick<Fixture, 'nodes' | 'grants'>) {
  const feeds = new Map<string, { id: string; nodeId: string; ownerId: string; grants: number; public: boolean }>();
  const feedOf = (nodeId: string, branch: boolean) => {
    const id = branch ? branchFeed(nodeId) : nodeFeed(nodeId);
    const feed = feeds.get(id) ?? {
      id,
      nodeId,
      ownerId: nodes.get(nodeId)?.ownerId as string,
      grants: 0,
      public: false,
    };
    feeds.set(id, feed);
    return feed;
  };
  for (const { nodeId, branch } of grants) feedOf(nodeId, branch).grants++;
  for (const node of nodes.values()) if (node.publicToken) feedOf(node.id, Boolean(node.publicBranch)).public = true;
  // A branch that was shared before keeps its rows, which have no effect.
  for (const node of nodes.values()) if (node.wasShared) feedOf(node.id, true);
  return [...feeds.values()];
}

interface Row {
  readonly id: string;
  readonly feed: string;
  readonly via: string | null;
}

/** Each feed spreads from its root, against the direction of propagating links. */
function rowsOf({ nodes, links, grants }: Fixture): Row[] {
  const below = new Map<string, FixtureLink[]>();
  for (const link of links.values()) {
    if (link.inTrash || link.private || !link.conveys) continue;
    below.set(link.target, [...(below.get(link.target) ?? []), link]);
  }
  const spread = (feed: string, starts: readonly string[]): Row[] => {
    const via = new Map<string, string | null>(starts.map((id) => [id, null]));
    for (const [id] of via) {
      for (const link of below.get(id) ?? []) if (!via.has(link.source)) via.set(link.source, link.id);
    }
    return [...via].map(([id, link]) => ({ id, feed, via: link }));
  };
  const owners = new Set([...nodes.values()].map(({ ownerId }) => ownerId));
  const ofOwners = [...owners].flatMap((owner) => {
    const own = [...nodes.values()].filter(({ ownerId, inTrash }) => ownerId === owner && !inTrash);
    const rows = spread(
      userFeed(owner),
      own.map(({ id }) => id),
    );
    return rows.filter(({ id }) => nodes.get(id)?.ownerId !== owner);
  });
  const ofRoots = feedsOf({ nodes, grants }).flatMap(({ id, nodeId }) =>
    id.startsWith('node:') ? [{ id: nodeId, feed: id, via: null }] : spread(id, [nodeId]),
  );
  return [...ofOwners, ...ofRoots];
}

async function saveGraph(database: Database, graph: Fixture): Promise<void> {
  const { nodes, links, grants } = graph;
  const stored = [...nodes.values()].map(({ wasShared: _, ...fields }) => fields);
  await database.write('UNWIND $nodes AS fields CREATE (n:Node) SET n = fields', { nodes: stored });
  for (const [type, isOfType] of Object.entries(TYPES)) {
    const rows = [...links.values()].filter(isOfType).map(({ source, target, inTrash: _, ...fields }) => ({
      source,
      target,
      fields: {
        version: 1,
        wasBlocker: false,
        createdTime: fields.lastEditedTime,
        ...fields,
        sourceOwnerId: nodes.get(source)?.ownerId,
        targetOwnerId: nodes.get(target)?.ownerId,
      },
    }));
    await database.write(
      `UNWIND $rows AS row MATCH (a:Node {id: row.source}), (b:Node {id: row.target}) CREATE (a)-[r:${type}]->(b) SET r = row.fields`,
      { rows },
    );
  }
  const feeds = feedsOf(graph).map(({ nodeId: _, ...feed }, index) => ({
    ...feed,
    seq: index + 1,
    first: 1,
    epoch: 1,
  }));
  await database.write(
    'UNWIND $feeds AS fields CREATE (f:Feed) SET f = fields, f.seq = toInteger(f.seq), f.grants = toInteger(f.grants)',
    { feeds },
  );
  await database.write(
    `UNWIND $rows AS row MATCH (n:Node {id: row.id}) MERGE (f:Feed {id: row.feed})
     CREATE (n)-[:IN {feed: row.feed, id: row.id, via: row.via}]->(f)`,
    { rows: rowsOf(graph) },
  );
  await database.write(
    `UNWIND $grants AS fields MATCH (n:Node {id: fields.nodeId}) MERGE (p:Principal {email: fields.email})
     CREATE (p)-[g:GRANT]->(n) SET g = fields, g.level = toInteger(g.level), g.version = 1, g.ownerId = n.ownerId`,
    { grants: grants.map((grant) => ({ ...grant, key: `${grant.nodeId}|${grant.email}` })) },
  );
}

const TYPES: Readonly<Record<string, (link: FixtureLink) => boolean>> = {
  BLOCKS: ({ inTrash, type }) => !inTrash && type === 0,
  RELATES: ({ inTrash, type }) => !inTrash && type === 1,
  TRASHED: ({ inTrash }) => inTrash,
};

async function removeGraph(
  database: Database,
  { nodes, grants }: Pick<Fixture, 'nodes' | 'grants'>,
  users: readonly ActingUser[],
): Promise<void> {
  const ids = [...nodes.keys()];
  await database.write('UNWIND $ids AS id MATCH (n:Node {id: id}) DETACH DELETE n', { ids });
  const feeds = [...ids.flatMap((id) => [branchFeed(id), nodeFeed(id)]), ...users.map(({ id }) => userFeed(id))];
  await database.write('UNWIND $feeds AS id MATCH (f:Feed {id: id}) DETACH DELETE f', { feeds });
  await database.write('UNWIND $ids AS id MATCH (u:User {id: id}) DETACH DELETE u', { ids: users.map(({ id }) => id) });
  // Removes grants to e-mails without a user, too. Grants to users of other tests were removed with
  // their nodes.
  const emails = [...users.map(({ email }) => email), ...grants.map(({ email }) => email)];
  const gone = 'MATCH (p:Principal {email: email}) WHERE p.userId IS NULL OR p.userId IN $ids DETACH DELETE p';
  await database.write(`UNWIND $emails AS email ${gone}`, { emails, ids: users.map(({ id }) => id) });
}
