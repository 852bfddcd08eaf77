// Every read of the store with sample arguments, and changes that have no plan tests of their own, for tests
// of the server's plans.
import { EarliestEnd } from '@taskgraph/domain/access/earliest-end';
import { Level } from '@taskgraph/wire/codes';
import { executeCall } from '../../accounts/account-calls.ts';
import { listCalendars, resolveCalendars } from '../../accounts/calendars.ts';
import { findValidTokens, listSessions, listTokens, resolveTokens } from '../../accounts/tokens.ts';
import { findAccount, hasAdministrator, readAccount } from '../../accounts/users.ts';
import { readOpenCommits } from '../../commit/open-commits.ts';
import type { Database } from '../../driver/database.ts';
import {
  beginImport,
  deleteImportSource,
  listImportSources,
  mayRecordBatch,
  purgeDeletedImports,
  readImportRows,
  revertImportRows,
  storeImportRows,
} from '../../imports/import-rows.ts';
import { listExpirations } from '../../maintenance/due-expirations.ts';
import { listEndedClaims } from '../../maintenance/ended-claims.ts';
import { listUnwritten } from '../../maintenance/history-rewrite.ts';
import { listDeadFeeds } from '../../maintenance/membership-collection.ts';
import { deleteOldBatches, listOldFeeds } from '../../maintenance/old-history.ts';
import { listOldTrash } from '../../maintenance/old-trash.ts';
import { removeStaleClaims } from '../../maintenance/stale-claims.ts';
import { readForeign } from '../../reads/branch-entities.ts';
import { listScope, walkBranch } from '../../reads/branch-scope.ts';
import {
  areEntriesKept,
  listChanged,
  listCrossingLinks,
  listMembersLinks,
  surveyEntries,
} from '../../reads/changes.ts';
import { createAscentLookup } from '../../reads/explanation/ascent-nodes.ts';
import { createChainLookup, readBlockingLinks } from '../../reads/explanation/chain-nodes.ts';
import { readRoots } from '../../reads/explanation/roots.ts';
import { loadRanges } from '../../reads/feed-entries.ts';
import { listMembers } from '../../reads/feed-members.ts';
import { readHeads } from '../../reads/feeds.ts';
import { listGrants } from '../../reads/grant-list.ts';
import { walkActions, walkTouches, walkTouchesOfAll } from '../../reads/history/history-index.ts';
import { readLinkFacts } from '../../reads/link-facts.ts';
import { memberScope } from '../../reads/member-scope.ts';
import { readNodesWithFeeds } from '../../reads/nodes-with-feeds.ts';
import { ownScope } from '../../reads/own-scope.ts';
import { readOwnerNames } from '../../reads/owners.ts';
import { createByteBudget } from '../../reads/page-byte-limit.ts';
import { readClaimableNodes } from '../../reads/plan/claimable-nodes.ts';
import { readPlannedNodes } from '../../reads/plan/planned-nodes.ts';
import { readPublications } from '../../reads/publications.ts';
import { type ReaderAccess, readReaderAccess, withGrantsOn } from '../../reads/reader.ts';
import { readTrashPage } from '../../reads/trash/trash-page.ts';
import { listAdminWebhooks } from '../../webhooks/admin-webhooks.ts';
import { readChangeLengths } from '../../webhooks/due-changes.ts';
import { listDueNodes } from '../../webhooks/due-nodes.ts';
import { lastOfPage, listReadyWebhooks, sumHeads } from '../../webhooks/due-webhooks.ts';
import { checkMessage } from '../../webhooks/message-reads.ts';
import { findReplayStart } from '../../webhooks/replay-start.ts';
import { listWebhookDeliveries, listWebhooks } from '../../webhooks/webhook-calls.ts';
import { listNextRuns } from '../../webhooks/webhook-runs.ts';

const reader = { id: 'nobody', email: 'nobody@example.com' };
const window = { after: '', skip: 0, limit: 10, isContinued: false };
const linkWindow = { ...window, isContinued: true };
const budget = () => createByteBudget(1_000_000);

/** The access of an editor of a branch. */
function editor(): ReaderAccess {
  return {
    now: '2026-01-01',
    readerId: reader.id,
    email: reader.email,
    levels: new Map([['root:x', Level.EDITOR]]),
    end: new EarliestEnd(),
    shown: [],
    owners: [],
    guests: true,
    rights: null,
    hidden: [],
    shownTruncated: false,
    truncated: true,
    revision: null,
  };
}

const MISSED = [{ feed: 'root:x', since: 1, head: 2 }];
const LINK = { node: '', link: '' };
const FEED_READER = { id: 'x', own: 'user:x', feeds: ['root:x'] };
const OLDEST = { order: 'oldest', since: '2026-01-01', until: '2026-01-02' } as const;
const DUE_PAGE = { state: 'active', after: '', limit: 10, now: '2026-01-01' } as const;
const DUE_NODES = {
  after: { time: '2026-01-01', id: 'x' },
  to: { time: '2026-01-02', id: '' },
  readerId: reader.id,
  feeds: ['root:x'],
  settled: '2030-01-01T00:00:00.000Z',
  limit: 10,
};
const WEBHOOK_PAGE = { after: '', limit: 10, now: '2026-01-01' };
const ENDED_CLAIMS = { until: '2026-01-02', after: { id: 'x', until: '2026-01-01' }, limit: 10 };
const LINK_FACTS = { nodes: ['x'], neighbors: ['y'], readerId: reader.id, feeds: ['root:x'] };
const MEMBERSHIP = { ownerId: reader.id, feeds: ['root:x', 'root:y'] };

/** Enough steps for one to read ahead. */
async function lookFar(look: (ids: readonly string[]) => Promise<unknown>): Promise<void> {
  for (let step = 0; step < 10; step++) await look(['x']);
}

async function allOf(some: AsyncIterable<unknown>): Promise<void> {
  for await (const _one of some);
}

/** A read of the store, on this database only. */
export type Read = (on: Database) => Promise<unknown>;

export const READS: Readonly<Record<string, Read>> = {
  readerAccess: (on) => readReaderAccess(on, reader, '2026-01-01'),
  heads: (on) => readHeads(on, ['root:x']),
  'own nodes': (on) => ownScope(on, reader.id).nodes({ ...window, skip: 1 }, budget()),
  'own links': (on) => ownScope(on, reader.id).links(window),
  "members' nodes": (on) => memberScope(on, MEMBERSHIP, { readerId: reader.id }).nodes(window, budget()),
  "members' links": (on) => memberScope(on, MEMBERSHIP, { readerId: reader.id }).links(window),
  "listed members' links": (on) =>
    memberScope(on, MEMBERSHIP, {
      readerId: reader.id,
      linkWalk: {
        owners: async () => null,
        ids: async (list) => {
          await list();
          return { after: () => ['x'] };
        },
      },
    }).links(linkWindow),
  "links of members' owners": (on) =>
    memberScope(on, MEMBERSHIP, {
      readerId: reader.id,
      linkWalk: {
        owners: async (list) => [...((await list()) ?? []), 'x'],
        ids: async () => null,
      },
    }).links(linkWindow),
  'nodes by id': (on) => readNodesWithFeeds(on, ['x'], budget()),
  'nodes by id, without descriptions': (on) => readNodesWithFeeds(on, ['x'], budget(), { hasDescriptions: false }),
  walk: (on) => walkBranch(on, 'x'),
  'links among nodes': (on) => listScope(on, ['x'], reader.id).links(window),
  'a chain of blockers': (on) => lookFar(createChainLookup(on)),
  'links that block': (on) => allOf(readBlockingLinks(on, [{ id: 'x', openBlockers: 1, blocking: null }])),
  'a way up': (on) => lookFar(createAscentLookup(on)),
  roots: (on) =>
    readRoots(on, { roots: [{ id: 'x', listed: true }], node: 'x', email: 'a', now: '2026-01-01', limit: 10 }),
  publications: (on) => readPublications(on, ['x'], '2026-01-01'),
  'grants on feeds': (on) => withGrantsOn(on, editor(), ['root:y', 'node:y']),
  grants: (on) => listGrants(on, { node: 'x', email: null, now: '2026-01-01' }),
  names: (on) => readOwnerNames(on, ['x']),
  'own trash': (on) => readTrashPage(on, { ...editor(), levels: new Map() }, { limit: 10, offset: 0 }, budget()),
  'ends of grants': (on) => listExpirations(on, 'grants', { until: '2026-01-01', after: null, limit: 10 }),
  'ends of publications': (on) => listExpirations(on, 'publications', { until: '2026-01-01', after: null, limit: 10 }),
  'ends of claims': (on) => listEndedClaims(on, ENDED_CLAIMS),
  'claims that do not count': (on) => removeStaleClaims(on, { until: '2026-01-02', limit: 10 }),
  'old nodes in the trash': (on) => listOldTrash(on, 'nodes', { owners: ['x'], before: '2026-01-01', each: 10 }),
  'old links in the trash': (on) => listOldTrash(on, 'links', { owners: ['x'], before: '2026-01-01', each: 10 }),
  'old batches': (on) => deleteOldBatches(on, ['x'], '2026-01-01'),
  'feeds with old entries': (on) => listOldFeeds(on, ['x'], '2026-01-01'),
  'deleted entities that are not rewritten': (on) => listUnwritten(on, 10),
  'shared feeds without readers': (on) => listDeadFeeds(on, '', 10),
  'the node of a token': (on) => resolveTokens(on, ['x'], { nowMs: 0, knowsScopes: true }),
  'tokens that still count': (on) => findValidTokens(on, ['x'], '2026-01-01'),
  'tokens of a user': (on) => listTokens(on, 'x'),
  'calendars of a user': (on) => listCalendars(on, 'x'),
  'the calendar of an address': (on) => resolveCalendars(on, ['x'], 0),
  'sources of imports of a user': (on) => listImportSources(on, 'x'),
  'rows of a source of imports': (on) => readImportRows(on, { userId: 'x', source: 'y', after: 't', limit: 10 }),
  'a batch that an update records': (on) => mayRecordBatch(on, { userId: 'x', source: 'y', batch: 'z' }),
  'webhooks of a user': (on) => listWebhooks(on, { userId: 'x', caller: 'y', now: '2026-01-01' }),
  'webhooks of all users': (on) => listAdminWebhooks(on, { ...WEBHOOK_PAGE, state: null }),
  'active webhooks of all users': (on) => listAdminWebhooks(on, { ...WEBHOOK_PAGE, state: 'active' }),
  'disabled webhooks of all users': (on) => listAdminWebhooks(on, { ...WEBHOOK_PAGE, state: 'disabled' }),
  'attempts of a webhook': (on) => listWebhookDeliveries(on, { userId: 'x', caller: 'y', id: 'z' }, 0),
  'webhooks that may run': (on) => listReadyWebhooks(on, DUE_PAGE),
  'the webhooks in a run queue': (on) => listNextRuns(on, { id: 'x', now: '2026-01-01' }),
  'the last webhook of a page': (on) => lastOfPage(on, DUE_PAGE),
  'entries with their ids': (on) => loadRanges(on, MISSED, 10),
  'due nodes': (on) => listDueNodes(on, DUE_NODES),
  'due nodes of one date': (on) => listDueNodes(on, { ...DUE_NODES, to: { ...DUE_NODES.after, id: 'y' } }),
  'the lengths of batches': (on) => readChangeLengths(on, ['x']),
  'the last check of a message': (on) => checkMessage(on, { id: 'x', email: 'a', missed: MISSED }),
  "the heads of users' feeds": (on) => sumHeads(on, { users: ['x'], now: '2026-01-01' }),
  'the start of a replay': (on) => findReplayStart(on, [{ feed: 'user:x', seq: 7 }], '2026-01-01'),
  'sessions of a user': (on) => listSessions(on, 'x', '2026-01-01'),
  account: (on) => readAccount(on, 'x'),
  'the account of an e-mail': (on) => findAccount(on, 'x@example.com'),
  administrators: (on) => hasAdministrator(on),
  members: (on) => listMembers(on, 'root:x', { after: '', limit: 10 }),
  'nodes of others': (on) => readForeign(on, ['root:x'], 'x'),
  'batches of a user': (on) => walkActions(on, 'x').next(10),
  'batches of a node': (on) => walkTouches(on, 'x').next(10),
  'batches of a user, oldest first': (on) => walkActions(on, 'x', OLDEST).next(10),
  'batches of a node, oldest first': (on) => walkTouches(on, 'x', OLDEST).next(10),
  'batches of a user and of nodes': (on) => walkTouchesOfAll(on, { entities: ['x', 'y'], owner: 'z' }).next(10),
  'open commits': (on) => readOpenCommits(on),
  'missed changes': (on) => surveyEntries(on, MISSED),
  'changed nodes': (on) => listChanged(on, 'nodes', MISSED, { after: '', limit: 10 }),
  'changed links': (on) => listChanged(on, 'links', MISSED, { after: '', limit: 10 }),
  'whether entries are kept': (on) => areEntriesKept(on, MISSED),
  'links of changed nodes': (on) => listCrossingLinks(on, FEED_READER, ['x'], { after: LINK, limit: 10 }),
  "links of a feed's nodes": (on) =>
    listMembersLinks(on, { feed: 'root:x', reader: FEED_READER, nodes: ['x'] }, { after: LINK, limit: 10 }),
  'an own plan': (on) => readPlannedNodes(on, { ownerId: 'x', feeds: [] }, 'x'),
  "a branch's plan": (on) => readPlannedNodes(on, { ownerId: null, feeds: ['root:x'] }, 'x'),
  'a plan of all': (on) => readPlannedNodes(on, { ownerId: 'x', feeds: ['root:x', 'root:y'] }, 'x'),
  'the free nodes of a queue': (on) => readClaimableNodes(on, ['x'], '2026-01-01'),
  'links that conditions name': (on) => readLinkFacts(on, LINK_FACTS),
  "an editor's trash": (on) => readTrashPage(on, editor(), { limit: 10, offset: 0 }, budget()),
};

const SOURCE = { userId: 'nobody', source: 'x', run: 'x' };
const SETTINGS = { under: null, format: 'csv', reading: '', origin: '', fingerprint: '' };
const RUN_START = { ...SETTINGS, userId: 'nobody', id: 'x', name: 'x', run: 'x', most: 1, now: '2026-01-01' };

/** Changes of accounts and of sources of imports. There is no such user, so they change nothing. */
export const ACCOUNT_CHANGES: Readonly<Record<string, Read>> = {
  'the begin of an account call': (on) =>
    executeCall(on, { userId: 'nobody', caller: 'x', request: 'x', target: 'y', now: '2026-01-01' }, async () => []),
  'the begin of an import': (on) => beginImport(on, { ...RUN_START, mode: 'import' }),
  'the begin of an update': (on) => beginImport(on, { ...RUN_START, mode: 'update' }),
  'new rows of an import': (on) =>
    storeImportRows(on, { ...SOURCE, rows: [{ key: 'tx', value: '{}' }], complete: false, most: 1 }),
  'an undo of an update': (on) => revertImportRows(on, { ...SOURCE, limit: 10 }),
  'the end of a source of imports': (on) =>
    deleteImportSource(on, { userId: 'nobody', source: 'x', request: 'x', now: '2026-01-01' }),
  'deleted sources of imports': (on) => purgeDeletedImports(on, '', 10),
};

/** A statement as a read sends it. */
export interface StatementCall {
  readonly cypher: string;
  readonly parameters: Record<string, unknown>;
}

/** The statements that a read, or a change that changes nothing, sends to this database. */
export async function statementsOf(database: Database, read: Read): Promise<StatementCall[]> {
  const readStatements: StatementCall[] = [];
  await read({
    ...database,
    begin(timeoutMs) {
      const transaction = database.begin(timeoutMs);
      return {
        ...transaction,
        run(cypher, parameters, name) {
          readStatements.push({ cypher, parameters });
          return transaction.run(cypher, parameters, name);
        },
      };
    },
    read(cypher, parameters) {
      readStatements.push({ cypher, parameters });
      return database.read(cypher, parameters);
    },
    write(cypher, parameters, timeoutMs) {
      readStatements.push({ cypher, parameters });
      return database.write(cypher, parameters, timeoutMs);
    },
  });
  return readStatements;
}
