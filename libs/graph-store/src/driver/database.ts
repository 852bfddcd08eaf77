// The connection to Neo4j: a driver with a connection pool, and its transactions.
import neo4j, { type Driver } from 'neo4j-driver';
import { corkConnections } from './bolt-cork.ts';
import { createStatementPlanner } from './statement-planner.ts';
import { inStatementSpan } from './statement-span.ts';

export interface DatabaseOptions {
  /** For example bolt://127.0.0.1:7687, or neo4j:// for a cluster. */
  readonly url: string;
  readonly user: string;
  readonly password: string;
  /**
   * PEM files for a URL with `+s`: the authorities to trust instead of the platform's, and the
   * client certificate with its key.
   */
  readonly tls?: { readonly ca?: string; readonly certificate?: string; readonly key?: string };
  /** Maximum open connections. A caller that must not wait for others opens its own database. */
  readonly poolSize?: number;
  /** How long a transaction waits for a connection, milliseconds; then it fails as `crowded`. */
  readonly connectionWaitMs?: number;
}

export type Row = Record<string, unknown>;

/**
 * A transaction whose statements are pipelined and answered in order: a statement that is not
 * awaited costs no round trip.
 */
export interface OpenTransaction {
  /** `name` identifies the statement in traces. */
  run(cypher: string, parameters: Row, name?: string): Promise<Row[]>;
  commit(): Promise<void>;
  /**
   * Ends the transaction without effect. Never fails, since an uncommitted transaction is lost in
   * any case.
   */
  rollback(): Promise<void>;
}

/** A transaction that can also stream rows, fetched in bounded portions on demand. */
export interface StreamingTransaction extends OpenTransaction {
  stream(cypher: string, parameters: Row): AsyncIterable<Row>;
}

/** An order of statements: each reads a state that contains everything that earlier ones saw. */
export interface ReadOrder {
  /** The state seen by the last statements, as driver bookmarks. */
  seen: readonly string[];
}

export interface Database {
  /** Opens a transaction. `timeoutMs` overrides the server's `db.transaction.timeout`. */
  begin(timeoutMs?: number): OpenTransaction;
  /** Opens a streaming transaction; `rowsAtOnce` rows travel together. */
  beginStreaming(timeoutMs: number, rowsAtOnce: number): StreamingTransaction;
  /** Runs one statement in a read transaction, within an order if given (`withOrderedReads`). */
  read(cypher: string, parameters: Row, order?: ReadOrder): Promise<Row[]>;
  /** Runs one statement in a write transaction, without retries. `timeoutMs` is as for `begin`. */
  write(cypher: string, parameters: Row, timeoutMs?: number): Promise<Row[]>;
  /**
   * Like `write`, for a large, frequent statement whose plan is cached as for `begin`. `name` is
   * for traces.
   */
  writeAgain(cypher: string, parameters: Row, timeoutMs: number | undefined, name: string): Promise<Row[]>;
  /**
   * Waits until the database answers a statement; in a cluster, until the leader does. Throws its
   * error.
   */
  verify(): Promise<{ version: string }>;
  close(): Promise<void>;
}

/**
 * Keeps a plan as first made. All statements start from unique indexes, so statistics can't improve
 * them, and the server would replan every ten seconds while a young graph grows. In a measurement
 * that halved the throughput.
 */
function stable(cypher: string): string {
  return `CYPHER replan=skip ${cypher}`;
}

type AccessMode = 'READ' | 'WRITE';

interface StatementSettings {
  readonly parameters: Row;
  readonly timeoutMs?: number | undefined;
  readonly order?: ReadOrder | undefined;
  readonly name?: string;
}

/** The time limit for planning a statement. */
export const PLANNING_LIMIT_MS = 60_000;
const CONNECTION_LIMIT_MS = 5_000;

/** Parameters with the same plan. Plans depend on the types of parameters, and on the sizes of texts and lists. */
function shapeOf(parameters: Row): Row {
  const isMap = (value: unknown) => value?.constructor === Object;
  return Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, isMap(value) ? {} : value]));
}

type OnFailure = (error: unknown, cypher: string, parameters: Row) => void;

/** Opens the driver. It connects at first use. */
export function openDatabase(options: DatabaseOptions): Database {
  corkConnections();
  const { url, ...encryption } = encryptionOf(options);
  const driver = neo4j.driver(url, neo4j.auth.basic(options.user, options.password), {
    // Every stored integer is below 2^53.
    disableLosslessIntegers: true,
    maxConnectionPoolSize: options.poolSize ?? 16,
    connectionAcquisitionTimeout: options.connectionWaitMs ?? 5_000,
    connectionTimeout: CONNECTION_LIMIT_MS,
    telemetryDisabled: true,
    ...encryption,
  });
  // In a cluster (neo4j://) followers lag: they could show revoked content or miss committed
  // changes.
  const reading = options.url.startsWith('neo4j') ? 'WRITE' : 'READ';
  const planner = createStatementPlanner({ planMs: PLANNING_LIMIT_MS + CONNECTION_LIMIT_MS });
  const planOf = (cypher: string, parameters: Row) => () =>
    once(driver, 'WRITE', `EXPLAIN ${cypher}`, { parameters: shapeOf(parameters), timeoutMs: PLANNING_LIMIT_MS });
  const planned = (mode: AccessMode, cypher: string, settings: StatementSettings) =>
    planner.run(cypher, planOf(cypher, settings.parameters), () => once(driver, mode, cypher, settings));
  const onFailure: OnFailure = (error, cypher, parameters) =>
    planner.afterFailure(error, cypher, planOf(cypher, parameters));
  return {
    begin: (timeoutMs) => begin(driver, onFailure, timeoutMs),
    beginStreaming: (timeoutMs, rowsAtOnce) => begin(driver, onFailure, timeoutMs, rowsAtOnce),
    read: (cypher, parameters, order) => planned(reading, stable(cypher), { parameters, order }),
    write: (cypher, parameters, timeoutMs) => planned('WRITE', cypher, { parameters, timeoutMs }),
    writeAgain: (cypher, parameters, timeoutMs, name) =>
      planned('WRITE', stable(cypher), { parameters, timeoutMs, name }),
    verify: () => verify(driver, reading),
    close: () => driver.close(),
  };
}

/** In: nothing. Out: 1. Locks: none. Cost: none. */
const PING = 'RETURN 1';

/** Runs a statement, since a server without its database or leader still accepts connections. */
async function verify(driver: Driver, mode: AccessMode): Promise<{ version: string }> {
  const session = driver.session({ defaultAccessMode: mode });
  try {
    const { summary } = await session.run(PING);
    return { version: (summary.server.agent ?? '').replace(/^Neo4j\//, '') };
  } finally {
    await session.close();
  }
}

/**
 * The same database with ordered reads. A transaction becomes visible bit by bit while the server
 * applies it: one statement may see a count, and the next not yet the counted entity. An ordered
 * statement waits until everything that an earlier one can have seen is complete, usually not at
 * all.
 */
export function withOrderedReads(database: Database): Database {
  const order: ReadOrder = { seen: [] };
  const { read } = database;
  return { ...database, read: (cypher, parameters) => read(cypher, parameters, order) };
}

/** The driver takes either an encrypting scheme or custom authorities, not both. */
function encryptionOf({ url, tls = {} }: DatabaseOptions) {
  const { ca, certificate, key } = tls;
  const ours = certificate !== undefined && key !== undefined ? { certfile: certificate, keyfile: key } : undefined;
  const clientCertificate = ours === undefined ? {} : { clientCertificate: ours };
  if (ca === undefined) return { url, ...clientCertificate };
  return {
    url: url.replace(/^(bolt|neo4j)\+s:/, '$1:'),
    ...clientCertificate,
    encrypted: 'ENCRYPTION_ON' as const,
    trust: 'TRUST_CUSTOM_CA_SIGNED_CERTIFICATES' as const,
    trustedCertificates: [ca],
  };
}

function begin(
  driver: Driver,
  onFailure: OnFailure,
  timeoutMs: number | undefined,
  rowsAtOnce?: number,
): StreamingTransaction {
  const fetching = rowsAtOnce === undefined ? {} : { fetchSize: rowsAtOnce };
  const session = driver.session({ defaultAccessMode: neo4j.session.WRITE, ...fetching });
  // Not awaited: BEGIN travels with the first statements.
  const transaction = session.beginTransaction(timeoutMs === undefined ? {} : { timeout: timeoutMs });
  return {
    async run(cypher, parameters, name) {
      const statement = stable(cypher);
      try {
        const result = await inStatementSpan(cypher, name, async () => transaction.run(statement, parameters));
        return result.records.map((record) => record.toObject());
      } catch (error) {
        onFailure(error, statement, parameters);
        throw error;
      }
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
      // After a failed statement or a lost connection there is nothing left to roll back.
      await transaction.rollback().catch(() => undefined);
      await session.close().catch(() => undefined);
    },
  };
}

async function once(
  driver: Driver,
  mode: AccessMode,
  cypher: string,
  { parameters, timeoutMs, order, name }: StatementSettings,
): Promise<Row[]> {
  const before = order?.seen ?? [];
  const session = driver.session({ defaultAccessMode: mode, bookmarks: [...before] });
  try {
    const settings = timeoutMs === undefined ? {} : { timeout: timeoutMs };
    const result = await inStatementSpan(cypher, name, async () => session.run(cypher, parameters, settings));
    // For concurrent reads, both bookmarks count.
    if (order !== undefined) {
      order.seen = [...order.seen.filter((seen) => !before.includes(seen)), ...session.lastBookmarks()];
    }
    return result.records.map((record) => record.toObject());
  } finally {
    await session.close();
  }
}
