// The baseline of reads: the bare driver streams the same properties of nodes and links in the
// order of the same indexes, and serializes them to JSON. It checks no access and sends the JSON
// nowhere.
import neo4j, { type Driver, type Record as Row } from 'neo4j-driver';
import type { Read, StreamingReaderActs, WalkResult } from '../clients/readers.ts';
import type { DatabaseAccess } from '../direct-writes.ts';

const READ_NODES = `
MATCH (n:Node)
USING INDEX n:Node(ownerId, inTrash, id)
WHERE n.ownerId = $owner AND n.inTrash = false AND n.id > $after
RETURN n.id AS id, properties(n) AS entity ORDER BY n.ownerId, n.inTrash, n.id LIMIT $limit`;

const READ_LINKS = `
MATCH (a)-[r:BLOCKS]->(b)
USING INDEX r:BLOCKS(sourceOwnerId, id)
WHERE r.sourceOwnerId = $owner AND r.id > $after
RETURN r.id AS id, properties(r) AS entity, a.id AS source, b.id AS target ORDER BY r.sourceOwnerId, r.id LIMIT $limit`;

const EVERYTHING = Number.MAX_SAFE_INTEGER;

export async function openBaselineReaders({ access }: { access: DatabaseAccess }): Promise<StreamingReaderActs> {
  const driver = neo4j.driver(access.url, neo4j.auth.basic(access.user, access.password), {
    disableLosslessIntegers: true,
    notificationFilter: { minimumSeverityLevel: 'OFF' },
    telemetryDisabled: true,
  });
  return {
    async connect() {
      await driver.verifyConnectivity();
    },
    walk: (read) => walk(driver, read),
    stream: (read) => stream(driver, read),
  };
}

/** Reads page by page, first nodes, then links, each after the last id. */
async function walk(driver: Driver, { ownerId, limit }: Read): Promise<WalkResult> {
  const pages: number[] = [];
  const linkPages: number[] = [];
  let entities = 0;
  for (const statement of [READ_NODES, READ_LINKS]) {
    for (let after = '', count = limit; count === limit; ) {
      const startedAt = performance.now();
      ({ count, last: after = after } = await readJson(driver, statement, { owner: ownerId, after, limit }, limit));
      const ms = performance.now() - startedAt;
      pages.push(ms);
      if (statement === READ_LINKS) linkPages.push(ms);
      entities += count;
    }
  }
  return { pages, linkPages, entities, firstBytes: 0 };
}

/** Reads everything with two statements, and serializes one page at a time. */
async function stream(driver: Driver, { ownerId, limit }: Read): Promise<WalkResult> {
  const startedAt = performance.now();
  let entities = 0;
  for (const statement of [READ_NODES, READ_LINKS]) {
    const parameters = { owner: ownerId, after: '', limit: EVERYTHING };
    entities += (await readJson(driver, statement, parameters, limit)).count;
  }
  return { pages: [performance.now() - startedAt], linkPages: [], entities, firstBytes: 0 };
}

/** Serializes the rows in chunks of `perText` as they arrive, and discards the texts. */
function readJson(
  driver: Driver,
  statement: string,
  { limit, ...parameters }: { owner: string; after: string; limit: number },
  perText: number,
): Promise<{ count: number; last: string | undefined }> {
  const session = driver.session({ defaultAccessMode: neo4j.session.READ });
  let rows: unknown[] = [];
  let [count, characters] = [0, 0];
  let last: string | undefined;
  const finish = () => {
    characters += JSON.stringify(rows).length;
    rows = [];
  };
  return new Promise<{ count: number; last: string | undefined }>((resolve, reject) => {
    session.run(statement, { ...parameters, limit: neo4j.int(limit) }).subscribe({
      onNext(row: Row) {
        const { id, entity, ...ends } = row.toObject() as { id: string; entity: object };
        rows.push({ ...entity, ...ends });
        last = id;
        if (++count % perText === 0) finish();
      },
      onCompleted() {
        finish();
        if (characters === 0) reject(new Error('nothing became text'));
        else resolve({ count, last });
      },
      onError: reject,
    });
  }).finally(() => session.close());
}
