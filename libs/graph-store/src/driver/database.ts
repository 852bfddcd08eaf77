// The connection to Neo4j: a driver with its pool of connections, and the transactions that everything here runs in.
import neo4j, { type Driver } from 'neo4j-driver';
import { inStatementSpan } from './statement-span.ts';

export interface DatabaseOptions {
  /** For instance bolt://127.0.0.1:7687, or neo4j:// for a cluster. */
  readonly url: string;
  readonly user: string;
  readonly password: string;
  /** Files in PEM for an address with `+s`: the authorities to trust in the place of the platform's, and our own certificate with its key. */
  readonly tls?: { readonly ca?: string; readonly certificate?: string; readonly key?: string };
  /** Most connections that are open at once. A caller that must not wait for others opens a database of its own. */
  readonly poolSize?: number;
  /** How long a transaction waits for a connection, milliseconds; then it fails as `crowded`. */
  readonly connectionWaitMs?: number;
}

export type Row = Record<string, unknown>;

/** A transaction whose statements are sent at once and answered in order: what is not awaited costs no round trip. */
export interface OpenTransaction {
  /** `name` is what traces show the statement as. */
  run(cypher: string, parameters: Row, name?: string): Promise<Row[]>;
  commit(): Promise<void>;
  /** Ends the transaction without effect; never fails, since what is not committed is gone anyway. */
  rollback(): Promise<void>;
}

/** A transaction that also gives rows one by one, fetched a bounded number at a time as they are taken. */
export interface StreamingTransaction extends OpenTransaction {
  stream(cypher: string, parameters: Row): AsyncIterable<Row>;
}

/** The place of a statement among others: the state that it reads holds all that those before it saw. */
export interface ReadOrder {
  /** The state that its last statements saw, in the driver's words. */
  seen: readonly string[];
}

export interface Database {
  /** Opens a transaction. `timeoutMs` overrides the server's `db.transaction.timeout`. */
  begin(timeoutMs?: number): OpenTransaction;
  /** Opens one that can stream; `rowsAtOnce` rows travel together. */
  beginStreaming(timeoutMs: number, rowsAtOnce: number): StreamingTransaction;
  /** One statement in a transaction of its own that reads; one of several in an order where that is given (`readingInOrder`). */
  read(cypher: string, parameters: Row, order?: ReadOrder): Promise<Row[]>;
  /** One statement in a transaction of its own that writes. It is not tried again. `timeoutMs` is as for `begin`. */
  write(cypher: string, parameters: Row, timeoutMs?: number): Promise<Row[]>;
  /** Like `write`, for a large statement that is sent over and over: its plan stays, as those of `begin` do. `name` is for traces. */
  writeAgain(cypher: string, parameters: Row, timeoutMs: number | undefined, name: string): Promise<Row[]>;
  /** Waits until the database answers a statement: the leader, where there is a cluster. Throws its error. */
  verify(): Promise<{ version: string }>;
  close(): Promise<void>;
}

/**
 * A plan stays as it was first made. All our statements start from unique indexes, so that no statistics could better them, and the
 * server would plan them anew every ten seconds while a young graph grows: that halved the throughput when it was measured.
 */
function stable(cypher: string): string {
  return `CYPHER replan=skip ${cypher}`;
}

/** Opens the driver. No connection is made before the first use. */
export function openDatabase(options: DatabaseOptions): Database {
  const { url, ...encryption } = encryptionOf(options);
  const driver = neo4j.driver(url, neo4j.auth.basic(options.user, options.password), {
    // Every integer that we store is below 2^53.
    disableLosslessIntegers: true,
    maxConnectionPoolSize: options.poolSize ?? 16,
    connectionAcquisitionTimeout: options.connectionWaitMs ?? 5_000,
    connectionTimeout: 5_000,
    telemetryDisabled: true,
    ...encryption,
  });
  // In a cluster, which neo4j:// stands for, followers lag: who asks there could see what was taken away, or miss what was committed.
  const reading = options.url.startsWith('neo4j') ? 'WRITE' : 'READ';
  return {
    begin: (timeoutMs) => begin(driver, timeoutMs),
    beginStreaming: (timeoutMs, rowsAtOnce) => begin(driver, timeoutMs, rowsAtOnce),
    read: (cypher, parameters, order) => once(driver, reading, stable(cypher), { parameters, order }),
    write: (cypher, parameters, timeoutMs) => once(driver, 'WRITE', cypher, { parameters, timeoutMs }),
    writeAgain: (cypher, parameters, timeoutMs, name) =>
      once(driver, 'WRITE', stable(cypher), { parameters, timeoutMs, name }),
    verify: () => verify(driver, reading),
    close: () => driver.close(),
  };
}

/** In: nothing. Out: 1. Locks: none. Cost: none. */
const PING = 'RETURN 1';

/** A statement, since a server answers that has lost its database or its leader. */
async function verify(driver: Driver, mode: 'READ' | 'WRITE'): Promise<{ version: string }> {
  const session = driver.session({ defaultAccessMode: mode });
  try {
    const { summary } = await session.run(PING);
    return { version: (summary.server.agent ?? '').replace(/^Neo4j\//, '') };
  } finally {
    await session.close();
  }
}

/**
 * The same database, whose reads are in one order. A transaction is shown bit by bit while the server applies it: a statement may see its
 * counter, and the next one not yet what was counted. A statement of an order waits until all that an earlier one can have seen is there
 * as a whole, which is mostly not at all.
 */
export function readingInOrder(database: Database): Database {
  const order: ReadOrder = { seen: [] };
  const { read } = database;
  return { ...database, read: (cypher, parameters) => read(cypher, parameters, order) };
}

/** The driver takes either a scheme that encrypts or an authority of one's own, not both. */
function encryptionOf({ url, tls = {} }: DatabaseOptions) {
  const { ca, certificate, key } = tls;
  const ours = certificate !== undefined && key !== undefined ? { certfile: certificate, keyfile: key } : undefined;
  const clientCertificate = ours === undefined ? {} : { clientCertificate: ours };
  if (ca === undefined) return { url, ...clientCertificate };
  return {
    ...{ url: url.replace(/^(bolt|neo4j)\+s:/, '$1:'), ...clientCertificate },
    encrypted: 'ENCRYPTION_ON' as const,
    trust: 'TRUST_CUSTOM_CA_SIGNED_CERTIFICATES' as const,
    trustedCertificates: [ca],
  };
}

function begin(driver: Driver, timeoutMs: number | undefined, rowsAtOnce?: number): StreamingTransaction {
  const fetching = rowsAtOnce === undefined ? {} : { fetchSize: rowsAtOnce };
  const session = driver.session({ defaultAccessMode: neo4j.session.WRITE, ...fetching });
  // Not awaited: BEGIN travels with the first statements.
  const transaction = session.beginTransaction(timeoutMs === undefined ? {} : { timeout: timeoutMs });
  return {
    async run(cypher, parameters, name) {
      const result = await inStatementSpan(cypher, name, async () => transaction.run(stable(cypher), parameters));
      return result.records.map((record) => record.toObject());
    },
    async *stream(cypher, parameters) {
      for await (const record of transaction.run(stable(cypher), parameters)) yield record.toObject();
    },
    async commit() {
      try {
        await inStatementSpan('', 'COMMIT', () => transaction.commit());
      } finally {
        await session.close();
      }
    },
    async rollback() {
      // After a failed statement or a lost connection there is nothing left to roll back, which is what was wanted.
      await transaction.rollback().catch(() => undefined);
      await session.close().catch(() => undefined);
    },
  };
}

async function once(
  driver: Driver,
  mode: 'READ' | 'WRITE',
  cypher: string,
  {
    parameters,
    timeoutMs,
    order,
    name,
  }: {
    readonly parameters: Row;
    readonly timeoutMs?: number | undefined;
    readonly order?: ReadOrder | undefined;
    readonly name?: string;
  },
): Promise<Row[]> {
  const before = order?.seen ?? [];
  const session = driver.session({ defaultAccessMode: mode, bookmarks: [...before] });
  try {
    const settings = timeoutMs === undefined ? {} : { timeout: timeoutMs };
    const result = await inStatementSpan(cypher, name, async () => session.run(cypher, parameters, settings));
    // Of two that ran at once, both count.
    if (order !== undefined) {
      order.seen = [...order.seen.filter((seen) => !before.includes(seen)), ...session.lastBookmarks()];
    }
    return result.records.map((record) => record.toObject());
  } finally {
    await session.close();
  }
}
