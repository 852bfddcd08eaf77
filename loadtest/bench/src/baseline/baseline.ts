// The baseline: direct writes by the bare driver, one transaction for each command. It makes the
// same reads (existence, owner, degree, duplicates, cycle), the same writes with their status
// cascade, and the same history (batch, touched entities and the feed's numbered entry). It takes
// no owner locks and stores no idempotency keys, so it does less work than the service.
import { randomUUID } from 'node:crypto';
import neo4j, { type Driver, type ManagedTransaction } from 'neo4j-driver';
import type { WriteTarget } from '../clients/workload.ts';
import { storedLink, storedNode } from '../new-entities.ts';

const ADD_NODE = `
MATCH (u:User {id: $owner})
CREATE (n:Node) SET n = $node
RETURN n.id AS id`;

const READ_PARENT = `
MATCH (p:Node {id: $parent})
RETURN p.ownerId AS ownerId, p.independent AS independent, p.inTrash AS inTrash, COUNT { (p)-[:BLOCKS|RELATES]-() } AS degree`;

const ADD_CHILD = `
MATCH (p:Node {id: $parent})
CREATE (n:Node) SET n = $node
CREATE (n)-[r:BLOCKS]->(p) SET r = $link
SET p.openBlockers = p.openBlockers + 1,
    p.statusBefore = CASE WHEN p.status = 2 THEN p.statusBefore ELSE p.status END,
    p.version = CASE WHEN p.status = 2 THEN p.version ELSE p.version + 1 END,
    p.status = 2, p.lastEditedTime = $now`;

const READ_NODE = `
MATCH (n:Node {id: $id})
RETURN properties(n) AS node, COUNT { (n)-[:BLOCKS|RELATES]-() } AS degree`;

const RENAME = 'MATCH (n:Node {id: $id}) SET n.title = $title, n.version = n.version + 1, n.lastEditedTime = $now';

const READ_TARGETS = `
MATCH (n:Node {id: $id})-[r:BLOCKS]->(t:Node)
RETURN properties(r) AS link, properties(t) AS target`;

const SET_STATUS = `
MATCH (n:Node {id: $id})
SET n.status = $status, n.version = n.version + 1, n.lastEditedTime = $now
WITH n
MATCH (n)-[:BLOCKS]->(t:Node)
SET t.openBlockers = t.openBlockers + $shift
WITH t
WITH t, t.openBlockers > 0 AND NOT t.independent AS blocked
WHERE blocked <> (t.status = 2)
SET t.statusBefore = CASE WHEN blocked THEN t.status ELSE null END,
    t.status = CASE WHEN blocked THEN 2 ELSE 0 END, t.version = t.version + 1, t.lastEditedTime = $now`;

const READ_ENDS = `
MATCH (s:Node {id: $source}), (t:Node {id: $target})
OPTIONAL MATCH (s)-[r:BLOCKS|RELATES|TRASHED]-(t)
RETURN properties(s) AS source, properties(t) AS target, collect(r.id) AS between,
  COUNT { (s)-[:BLOCKS|RELATES]-() } AS sourceDegree, COUNT { (t)-[:BLOCKS|RELATES]-() } AS targetDegree`;

const FIND_CYCLE = `
MATCH (s:Node {id: $source}), (t:Node {id: $target})
MATCH p = shortestPath((t)-[:BLOCKS*1..]->(s))
RETURN [n IN nodes(p) | n.id] AS path`;

const ADD_LINK = `
MATCH (s:Node {id: $source}), (t:Node {id: $target})
CREATE (s)-[r:BLOCKS]->(t) SET r = $link
SET t.openBlockers = t.openBlockers + CASE WHEN s.status = 3 THEN 0 ELSE 1 END
WITH t WHERE t.openBlockers > 0 AND t.status <> 2
SET t.statusBefore = t.status, t.status = 2, t.version = t.version + 1, t.lastEditedTime = $now`;

const READ_LINK = `
MATCH (s:Node)-[r:BLOCKS {id: $id}]->(t:Node)
RETURN properties(r) AS link, properties(s) AS source, properties(t) AS target`;

const TRASH_LINK = `
MATCH (s:Node)-[r:BLOCKS {id: $id}]->(t:Node)
CREATE (s)-[x:TRASHED]->(t) SET x = properties(r), x.version = r.version + 1, x.lastBatchID = $batch
DELETE r
SET t.openBlockers = t.openBlockers - CASE WHEN s.status = 3 THEN 0 ELSE 1 END
WITH t WHERE t.openBlockers = 0 AND t.status = 2
SET t.status = t.statusBefore, t.statusBefore = null, t.version = t.version + 1, t.lastEditedTime = $now`;

/** The batch has the entry and the first touch as properties, as in the service's merged form. */
const ADD_HISTORY = `
MATCH (f:Feed {id: 'user:' + $batch.actorId})
SET f.seq = f.seq + 1
CREATE (b:Batch) SET b = $batch, b.feed = f.id, b.seq = f.seq, b.nodes = $touched, b.entity = $touched[0]
FOREACH (entity IN $touched[1..] | CREATE (:Touch {entity: entity, ts: $batch.ts, batch: $batch.id}))`;

/**
 * Opens the baseline on a database that the service has migrated, so that both sides have the same
 * indexes.
 */
export async function openBaseline(
  connection: { url: string; user: string; password: string },
  owners: number,
): Promise<WriteTarget & { close(): Promise<void> }> {
  const auth = neo4j.auth.basic(connection.user, connection.password);
  const driver = neo4j.driver(connection.url, auth, {
    disableLosslessIntegers: true,
    maxConnectionPoolSize: 64,
    // Hints for developers, which the server would compute for each new statement.
    notificationFilter: { minimumSeverityLevel: 'OFF' },
    telemetryDisabled: true,
  });
  const userIds = Array.from({ length: owners }, () => randomUUID());
  await driver.executeQuery(
    "UNWIND $ids AS id CREATE (:User {id: id}) CREATE (:Feed {id: 'user:' + id, seq: 0, first: 1, epoch: 1})",
    { ids: userIds },
  );
  const ownerOf = (owner: number) => userIds[owner] as string;
  return {
    addRoot: (owner) => addRoot(driver, ownerOf(owner)),
    addChild: (owner, parent, title) => addChild(driver, ownerOf(owner), parent, title),
    rename: (owner, id, title) =>
      command(driver, ownerOf(owner), async (transaction, now) => {
        const before = await single(transaction, READ_NODE, { id });
        await transaction.run(RENAME, { id, title, now });
        return { touched: [id], changes: [{ before, after: { title } }] };
      }),
    setStatus: (owner, id, status) => setStatus(driver, ownerOf(owner), id, status),
    addLink: (owner, source, target) => addLink(driver, ownerOf(owner), source, target),
    trashLink: (owner, id) => trashLink(driver, ownerOf(owner), id),
    close: () => driver.close(),
  };
}

/** The server's own limit suits groups, and a busy machine would exceed it. */
const TIMEOUT = { timeout: 30_000 };

interface CommandEffect {
  touched: string[];
  changes: unknown[];
}

/** Runs one command with its history in one transaction; the driver retries transient failures. */
async function command(
  driver: Driver,
  actorId: string,
  work: (transaction: ManagedTransaction, now: string, batch: string) => Promise<CommandEffect>,
): Promise<void> {
  const session = driver.session();
  try {
    await session.executeWrite(async (transaction) => {
      const now = new Date().toISOString();
      const id = randomUUID();
      const { touched, changes } = await work(transaction, now, id);
      const batch = { key: id, id, actorId, ts: now, changes: JSON.stringify(changes) };
      await transaction.run(ADD_HISTORY, { batch, touched });
    }, TIMEOUT);
  } finally {
    await session.close();
  }
}

async function single(transaction: ManagedTransaction, cypher: string, parameters: object) {
  const { records } = await transaction.run(cypher, parameters);
  const row = records[0]?.toObject();
  if (row === undefined) throw new Error("the baseline's query returned no row");
  return row;
}

async function addRoot(driver: Driver, owner: string): Promise<string> {
  const id = randomUUID();
  await command(driver, owner, async (transaction, now) => {
    const node = storedNode({ id, ownerId: owner }, 'root', now);
    await transaction.run(ADD_NODE, { owner, node });
    return { touched: [id], changes: [{ before: null, after: node }] };
  });
  return id;
}

async function addChild(driver: Driver, owner: string, parent: string, title: string): Promise<string> {
  const id = randomUUID();
  await command(driver, owner, async (transaction, now) => {
    const found = await single(transaction, READ_PARENT, { parent });
    if (found.ownerId !== owner || found.inTrash) throw new Error('the parent is not ours');
    const node = storedNode({ id, ownerId: owner }, title, now);
    const link = storedLink({ id: randomUUID(), ownerId: owner }, now);
    await transaction.run(ADD_CHILD, { parent, node, link, now });
    return {
      touched: [id, link.id, parent],
      changes: [
        { before: null, after: node },
        { before: null, after: link },
      ],
    };
  });
  return id;
}

function setStatus(driver: Driver, owner: string, id: string, status: number): Promise<void> {
  return command(driver, owner, async (transaction, now) => {
    const before = await single(transaction, READ_NODE, { id });
    const { records } = await transaction.run(READ_TARGETS, { id });
    const was = (before.node as { status: number }).status;
    const shift = Number(was === 3) - Number(status === 3);
    await transaction.run(SET_STATUS, { id, status: neo4j.int(status), shift: neo4j.int(shift), now });
    const targets = records.map((record) => (record.get('target') as { id: string }).id);
    return { touched: [id, ...targets], changes: [{ before, after: { status } }] };
  });
}

async function addLink(driver: Driver, owner: string, source: string, target: string): Promise<string> {
  const id = randomUUID();
  await command(driver, owner, async (transaction, now) => {
    const ends = await single(transaction, READ_ENDS, { source, target });
    if ((ends.between as string[]).length > 0) throw new Error('the nodes are linked already');
    const { records } = await transaction.run(FIND_CYCLE, { source, target });
    if (records.length > 0) throw new Error('it would close a cycle');
    const link = storedLink({ id, ownerId: owner }, now);
    await transaction.run(ADD_LINK, { source, target, link, now });
    return { touched: [id, target], changes: [{ before: null, after: link }] };
  });
  return id;
}

function trashLink(driver: Driver, owner: string, id: string): Promise<void> {
  return command(driver, owner, async (transaction, now, batch) => {
    const before = await single(transaction, READ_LINK, { id });
    await transaction.run(TRASH_LINK, { id, now, batch });
    return { touched: [id, (before.target as { id: string }).id], changes: [{ before, after: { inTrash: true } }] };
  });
}
