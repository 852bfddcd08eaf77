// The database's schema as numbered steps. A released step is never edited.

import { RELATIONSHIP_TYPES } from '../driver/codec.ts';
import type { Database } from '../driver/database.ts';
import type { Failure } from '../driver/failures.ts';
import { retry } from '../driver/retry.ts';
import { fillCompletionTimes } from './completion-times.ts';
import { CHOOSE_MERGED_FORM, isHistoryForm } from './history-form.ts';

interface Migration {
  readonly number: number;
  readonly why: string;
  /**
   * Each statement runs in its own transaction, since Neo4j can't mix schema and data. All must be
   * safe to repeat.
   */
  readonly statements: readonly string[];
  /** Work that statements alone can't do, after them: in bounded transactions, and safe to repeat. */
  readonly run?: (database: Database) => Promise<void>;
}

/** Time limit of a step, longer than that of other transactions: it scans the whole database. */
const STEP_TIMEOUT_MS = 600_000;

const migrations: readonly Migration[] = [
  {
    number: 1,
    why: 'users, tokens, nodes, links, history and feeds',
    statements: [
      'CREATE CONSTRAINT user_id IF NOT EXISTS FOR (u:User) REQUIRE u.id IS UNIQUE',
      'CREATE CONSTRAINT principal_email IF NOT EXISTS FOR (p:Principal) REQUIRE p.email IS UNIQUE',
      'CREATE CONSTRAINT token_hash IF NOT EXISTS FOR (t:Token) REQUIRE t.hash IS UNIQUE',
      'CREATE CONSTRAINT node_id IF NOT EXISTS FOR (n:Node) REQUIRE n.id IS UNIQUE',
      'CREATE INDEX node_page IF NOT EXISTS FOR (n:Node) ON (n.ownerId, n.inTrash, n.id)',
      ...RELATIONSHIP_TYPES.flatMap((type) => [
        `CREATE CONSTRAINT link_id_${type} IF NOT EXISTS FOR ()-[r:${type}]-() REQUIRE r.id IS UNIQUE`,
        `CREATE INDEX link_page_${type} IF NOT EXISTS FOR ()-[r:${type}]-() ON (r.sourceOwnerId, r.id)`,
      ]),
      'CREATE CONSTRAINT batch_key IF NOT EXISTS FOR (b:Batch) REQUIRE b.key IS UNIQUE',
      'CREATE CONSTRAINT batch_id IF NOT EXISTS FOR (b:Batch) REQUIRE b.id IS UNIQUE',
      'CREATE CONSTRAINT feed_id IF NOT EXISTS FOR (f:Feed) REQUIRE f.id IS UNIQUE',
      'CREATE INDEX entry_order IF NOT EXISTS FOR (e:Entry) ON (e.feed, e.seq)',
      'CREATE INDEX touch_order IF NOT EXISTS FOR (t:Touch) ON (t.entity, t.ts, t.batch)',
    ],
  },
  {
    number: 2,
    why: 'pages of the trash, newest first',
    statements: [
      'CREATE INDEX node_trash IF NOT EXISTS FOR (n:Node) ON (n.ownerId, n.inTrash, n.lastEditedTime)',
      'CREATE INDEX link_trash IF NOT EXISTS FOR ()-[r:TRASHED]-() ON (r.sourceOwnerId, r.lastEditedTime)',
    ],
  },
  {
    number: 3,
    why: 'membership in feeds, grants, publications, and history by actor',
    statements: [
      'CREATE INDEX member_order IF NOT EXISTS FOR ()-[r:IN]-() ON (r.feed, r.id)',
      'CREATE CONSTRAINT grant_key IF NOT EXISTS FOR ()-[g:GRANT]-() REQUIRE g.key IS UNIQUE',
      'CREATE INDEX grant_copy IF NOT EXISTS FOR ()-[g:GRANT]-() ON (g.copyOf)',
      'CREATE CONSTRAINT node_token IF NOT EXISTS FOR (n:Node) REQUIRE n.publicToken IS UNIQUE',
      'CREATE INDEX batch_actor IF NOT EXISTS FOR (b:Batch) ON (b.actorId, b.ts, b.id)',
      'CREATE CONSTRAINT deleted_id IF NOT EXISTS FOR (d:Deleted) REQUIRE d.id IS UNIQUE',
      'CREATE INDEX link_trash_target IF NOT EXISTS FOR ()-[r:TRASHED]-() ON (r.targetOwnerId, r.lastEditedTime)',
      `MATCH (f:Feed) WHERE f.ownerId IS NULL
       SET f.ownerId = substring(f.id, size('user:')), f.grants = 0, f.public = false`,
      'CREATE INDEX link_trash_owner IF NOT EXISTS FOR ()-[r:TRASHED]-() ON (r.ownerId, r.lastEditedTime)',
    ],
  },
  {
    number: 4,
    why: 'what searches of paths lock is one, even when two make it at once',
    statements: ['CREATE CONSTRAINT lock_id IF NOT EXISTS FOR (l:Lock) REQUIRE l.id IS UNIQUE'],
  },
  {
    number: 5,
    why: 'accounts: tokens by id, registrations, administrators and identities of providers',
    statements: [
      'CREATE CONSTRAINT token_id IF NOT EXISTS FOR (t:Token) REQUIRE t.id IS UNIQUE',
      `MATCH (t:Token) WHERE t.kind IS NULL SET t.kind = 'api', t.name = '', t.readOnly = false`,
      'CREATE CONSTRAINT registration_id IF NOT EXISTS FOR (r:Registration) REQUIRE r.id IS UNIQUE',
      'CREATE INDEX registration_email IF NOT EXISTS FOR (r:Registration) ON (r.email)',
      'CREATE INDEX registration_expires IF NOT EXISTS FOR (r:Registration) ON (r.expires)',
      'CREATE INDEX user_admin IF NOT EXISTS FOR (u:User) ON (u.admin)',
      'CREATE CONSTRAINT identity_key IF NOT EXISTS FOR (i:Identity) REQUIRE i.key IS UNIQUE',
    ],
  },
  {
    number: 6,
    why: 'what jobs look for: ends of grants and publications, and what was deleted and not yet taken out of history',
    statements: [
      'CREATE INDEX grant_due IF NOT EXISTS FOR ()-[g:GRANT]-() ON (g.due, g.key)',
      'CREATE INDEX node_due IF NOT EXISTS FOR (n:Node) ON (n.publicDue, n.id)',
      'CREATE INDEX deleted_unwritten IF NOT EXISTS FOR (d:Deleted) ON (d.unwritten, d.id)',
      'MATCH (d:Deleted) SET d.unwritten = true',
    ],
  },
  {
    number: 7,
    why: 'grants counted by the owner of their node (what the release before makes meanwhile does not count)',
    statements: [
      'MATCH ()-[g:GRANT]->(n:Node) WHERE g.ownerId IS NULL SET g.ownerId = n.ownerId',
      'CREATE INDEX grant_owner IF NOT EXISTS FOR ()-[g:GRANT]-() ON (g.email, g.ownerId)',
    ],
  },
  {
    number: 8,
    why: 'times of completion, from history (nodes that the release before completes meanwhile get none)',
    statements: [],
    run: fillCompletionTimes,
  },
  {
    number: 9,
    why: 'history merged into batches: the first touches and the first entry',
    statements: [
      'CREATE INDEX batch_entity IF NOT EXISTS FOR (b:Batch) ON (b.entity, b.ts, b.id)',
      'CREATE INDEX batch_owner IF NOT EXISTS FOR (b:Batch) ON (b.owner, b.ts, b.id)',
      'CREATE INDEX batch_entry IF NOT EXISTS FOR (b:Batch) ON (b.feed, b.seq)',
    ],
  },
  {
    number: 10,
    why: 'calendars, found by the hashes of their addresses',
    statements: [
      'CREATE CONSTRAINT calendar_id IF NOT EXISTS FOR (c:Calendar) REQUIRE c.id IS UNIQUE',
      'CREATE CONSTRAINT calendar_hash IF NOT EXISTS FOR (c:Calendar) REQUIRE c.hash IS UNIQUE',
    ],
  },
  {
    number: 11,
    why: 'the ends of claims, which jobs look for',
    statements: ['CREATE INDEX node_claim IF NOT EXISTS FOR (n:Node) ON (n.claimUntil, n.id)'],
  },
  {
    number: 12,
    why: 'webhooks by state, and their attempts by time',
    statements: [
      'CREATE CONSTRAINT webhook_id IF NOT EXISTS FOR (w:Webhook) REQUIRE w.id IS UNIQUE',
      'CREATE INDEX webhook_state IF NOT EXISTS FOR (w:Webhook) ON (w.state, w.id)',
      'CREATE INDEX webhook_delivery IF NOT EXISTS FOR (d:WebhookDelivery) ON (d.hookId, d.at)',
    ],
  },
  {
    number: 13,
    why: 'sources of imports, and the rows that connect their tasks with nodes',
    statements: [
      'CREATE CONSTRAINT import_source_id IF NOT EXISTS FOR (s:ImportSource) REQUIRE s.id IS UNIQUE',
      'CREATE INDEX import_source_deleted IF NOT EXISTS FOR (s:ImportSource) ON (s.deleted)',
      'CREATE CONSTRAINT import_row_key IF NOT EXISTS FOR (r:ImportRow) REQUIRE (r.source, r.key) IS UNIQUE',
      'CREATE INDEX import_row_group IF NOT EXISTS FOR (r:ImportRow) ON (r.source, r.group)',
      'CREATE INDEX import_row_dropped IF NOT EXISTS FOR (r:ImportRow) ON (r.dropped, r.group)',
    ],
  },
  {
    number: 14,
    why: 'nodes by due date, of which webhooks report those that have passed',
    statements: ['CREATE INDEX node_due_date IF NOT EXISTS FOR (n:Node) ON (n.dueDate, n.id)'],
  },
];

/**
 * In: nothing. Out: nothing. Locks: the schema. Cost: constant. It precedes the steps, which are
 * recorded in the node that it guards.
 */
const GUARD_SCHEMA = 'CREATE CONSTRAINT schema_id IF NOT EXISTS FOR (s:Schema) REQUIRE s.id IS UNIQUE';

/**
 * In: nothing. Out: the numbers of the completed steps. Locks: the one Schema node, so that
 * concurrent migrations queue. Cost: constant.
 */
const LOCK_SCHEMA = 'MERGE (s:Schema {id: 1}) SET s.lock = true RETURN coalesce(s.done, []) AS done';

/** In: number. Out: nothing. Locks: the Schema node. Cost: constant. */
const RECORD_MIGRATION = `MATCH (s:Schema {id: 1})
SET s.done = CASE WHEN $number IN coalesce(s.done, []) THEN s.done ELSE coalesce(s.done, []) + $number END`;

/**
 * In: nothing. Out: the numbers of the completed steps, whether an import is incomplete, and the
 * form of history; or no row. Locks: none. Cost: constant.
 */
const READ_SCHEMA = `MATCH (s:Schema {id: 1})
RETURN coalesce(s.done, []) AS done, coalesce(s.importing, false) AS importing,
  coalesce(s.historyForm, 'separate') AS historyForm`;

/**
 * Runs the missing steps in order and reports each. Concurrent runs are harmless, because every
 * step may run twice. If both create the same index past its IF NOT EXISTS, the second one fails
 * and retries.
 */
export async function migrate(database: Database, report: (line: string) => void): Promise<void> {
  await runStep(database, GUARD_SCHEMA);
  const [row] = await runStep(database, LOCK_SCHEMA);
  const done = new Set((row?.done as number[]) ?? []);
  // No earlier release serves a new database.
  if (done.size === 0) await runStep(database, CHOOSE_MERGED_FORM);
  for (const migration of migrations.filter(({ number }) => !done.has(number))) {
    report(`migration ${migration.number}: ${migration.why}`);
    for (const statement of migration.statements) await runStep(database, statement);
    await migration.run?.(database);
    await runStep(database, RECORD_MIGRATION, { number: migration.number });
  }
  await database.write('CALL db.awaitIndexes(600)', {}, STEP_TIMEOUT_MS);
}

/**
 * Failures caused by a concurrent migration or lock. A step is too long to retry for any other
 * reason.
 */
const BY_ANOTHER: ReadonlySet<Failure> = new Set<Failure>(['duplicate', 'locked', 'passing']);

/** How long a statement tries to get its locks from the commands that run meanwhile. */
const LOCK_TIMEOUT_MS = 120_000;

/** A retry finds what the other one created, once it is visible. */
async function runStep(
  database: Database,
  statement: string,
  parameters: Readonly<Record<string, number>> = {},
): ReturnType<Database['write']> {
  return retry(() => database.write(statement, parameters, STEP_TIMEOUT_MS), {
    passing: BY_ANOTHER,
    tries: Number.POSITIVE_INFINITY,
    until: Date.now() + LOCK_TIMEOUT_MS,
  });
}

/**
 * The numbers of the completed steps, in order: an export fits only a database with the same ones.
 */
export async function readMigrations(database: Database): Promise<number[]> {
  const [row] = await database.read(READ_SCHEMA, {});
  return [...((row?.done as number[] | undefined) ?? [])].sort((one, other) => one - other);
}

/**
 * Whether this code can serve the database: the schema is at least of its version, since steps of
 * later releases only add, and it reads the form of history. An incomplete import does not count as
 * migrated, since half a graph must not be served.
 */
export async function isMigrated(database: Database): Promise<boolean> {
  const [row] = await database.read(READ_SCHEMA, {});
  if (row === undefined || row.importing === true || !isHistoryForm(row.historyForm)) return false;
  const done = new Set(row.done as number[]);
  return migrations.every(({ number }) => done.has(number));
}
