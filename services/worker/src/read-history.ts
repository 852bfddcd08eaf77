// Answers history:page: finds the batches of a scope, newest first, and shows of each what its reader may see.
// Rules: ACL9, GEN11, HIS1, HIS5, HIS7, HIS8, LNK9, TRS2, TRS5.
import { historyPage } from '@taskgraph/commands/history-page';
import { parsePayload } from '@taskgraph/commands/payload';
import { allows } from '@taskgraph/domain/access';
import { type HistoryOperation, historyOperations, type Shown, type StoredChange } from '@taskgraph/domain/history';
import { readBranch, readForeign } from '@taskgraph/graph-store/branch-entities';
import type { Database } from '@taskgraph/graph-store/database';
import { type HistoryBatch, loadBatches } from '@taskgraph/graph-store/history-page';
import { openRoom } from '@taskgraph/graph-store/page-room';
import { readStanding, type Standing } from '@taskgraph/graph-store/reader';
import { type Walk, walkActions, walkAll, walkTouches } from '@taskgraph/graph-store/touches';
import { type Sighting, sight } from '@taskgraph/graph-store/visible';
import { Level } from '@taskgraph/wire/codes';
import { isRefusal, type Refusal, refuse } from '@taskgraph/wire/errors';
import { type ActingUser, userFeed } from '@taskgraph/wire/messages';
import type { GiveBack, PageBudget } from './page-budget.ts';
import { asUser, type Body, NoRoom, nowOf } from './reading.ts';

/** Most batches that one page looks at; a batch with long changes counts as several. */
const MAXIMUM_SCANNED = 5_000;
const CHARACTERS_OF_ONE = 50_000;

/** Most batches that are looked at together: at first as many as could fill the page, then ever more. */
const BATCHES_AT_ONCE = 500;

interface Request {
  readonly scopeType?: string | undefined;
  readonly scopeId?: string | undefined;
  readonly limit: number;
  readonly offset: number;
}

/** A page of a scope's history. */
export const readHistory = asUser(async (message, actor, environment) => {
  const request = parsePayload(historyPage, message.payload);
  if (isRefusal(request)) return request;
  const { database } = environment;
  const standing = await readStanding(database, actor, nowOf(environment));
  const scope = await scopeOf(database, standing, request);
  if (isRefusal(scope)) return scope;
  const turn = turnOf(environment.pages);
  try {
    const { pageBytes } = environment.pages;
    const viewer = { database, actor, standing, pageBytes, takeTurn: turn.take };
    const { batches, hasMore, truncated } = await collectPage(viewer, scope, request);
    return { hasMore, batches, ...(truncated || scope.cut ? { truncated: true } : {}) };
  } finally {
    turn.giveBack();
  }
});

/** The turn of long texts, which is taken when the first of them comes and kept for the whole read. */
function turnOf(pages: PageBudget): { take(): Promise<void>; giveBack(): void } {
  let taken: GiveBack | null = null;
  return {
    async take() {
      taken ??= await pages.takeLong();
      if (taken === null) throw new NoRoom('long changes of history wait for their turn');
    },
    giveBack: () => taken?.(),
  };
}

/** Where a page's batches come from. `cut`: the scope has more entities than are looked at. */
interface Scope {
  readonly walk: Walk;
  /** What a batch must be seen to touch; null where anything of it will do. */
  readonly entities: ReadonlySet<string> | null;
  readonly cut: boolean;
}

/** What can't be told apart from outside: a scope that is unknown and one that the reader does not see (HIS8). */
const invalidScope = refuse('bad_request.invalid_scope', 'There is no such scope, or you can not see it.');

async function scopeOf(database: Database, standing: Standing, request: Request): Promise<Scope | Refusal> {
  const { scopeType, scopeId } = request;
  if (scopeType === undefined && scopeId !== undefined) {
    return refuse('bad_request.missing_scopeType', 'The field scopeType is missing.', { path: 'scopeType' });
  }
  const type = scopeType ?? 'GRAPH';
  if (!['GRAPH', 'NODE', 'LINK', 'USER'].includes(type)) return invalidScope;
  const own = scopeId === undefined || scopeId === standing.readerId;
  if (type === 'USER')
    return own ? { walk: walkActions(database, standing.readerId), entities: null, cut: false } : invalidScope;
  if (scopeId === undefined || (type === 'GRAPH' && own)) return allThatIsSeen(database, standing);
  return type === 'LINK' ? linkScope(database, standing, scopeId) : nodeScope(database, standing, type, scopeId);
}

/** What touched the reader's own, which their user id finds, or what they are shown of others. */
async function allThatIsSeen(database: Database, standing: Standing): Promise<Scope> {
  const { readerId, levels, guests } = standing;
  const own = userFeed(readerId);
  // Hidden grants count: they hide nodes from the graph and from pushes, and give what they gave (ACL6).
  const feeds = [...levels.keys()].filter((feed) => feed !== own || guests);
  const foreign = await readForeign(database, feeds, readerId);
  return { walk: walkAll(database, [readerId, ...foreign.ids]), entities: null, cut: foreign.cut };
}

async function nodeScope(database: Database, standing: Standing, type: string, id: string): Promise<Scope | Refusal> {
  const sighting = await sight(database, standing, { nodes: [id] });
  if (type === 'NODE') {
    const known = sighting.level(id) !== null || sighting.recalls(id);
    return known ? { walk: walkTouches(database, id), entities: new Set([id]), cut: false } : invalidScope;
  }
  const root = sighting.whereabouts(id);
  if (root === undefined || sighting.level(id) === null) return invalidScope;
  const branch = await readBranch(database, root, standing.readerId);
  return { walk: walkAll(database, branch.ids), entities: new Set(branch.ids), cut: branch.cut };
}

async function linkScope(database: Database, standing: Standing, id: string): Promise<Scope | Refusal> {
  const sighting = await sight(database, standing, { links: [id] });
  const known = sighting.seesLink(id) || sighting.recalls(id);
  return known ? { walk: walkTouches(database, id), entities: new Set([id]), cut: false } : invalidScope;
}

/** Who reads, and what it takes to read for them. */
interface Viewer {
  readonly database: Database;
  readonly actor: ActingUser;
  readonly standing: Standing;
  /** Most bytes of the page. */
  readonly pageBytes: number;
  /** Waits for the turn of what is longer than a page. */
  readonly takeTurn: () => Promise<void>;
}

interface Page {
  readonly batches: Body[];
  readonly hasMore: boolean;
  readonly truncated: boolean;
}

async function collectPage(viewer: Viewer, { walk, entities }: Scope, { limit, offset }: Request): Promise<Page> {
  const { database } = viewer;
  const room = openRoom(viewer.pageBytes);
  const batches: Body[] = [];
  let [passed, scanned] = [0, 0];
  for (let wanted = offset + limit + 1; scanned < MAXIMUM_SCANNED; wanted *= 2) {
    const ids = await walk.next(Math.min(wanted, BATCHES_AT_ONCE, MAXIMUM_SCANNED - scanned));
    if (ids.length === 0) return { batches, hasMore: false, truncated: walk.cut };
    for await (const portion of loadBatches(database, ids, viewer.takeTurn)) {
      const sighting = await sightOf(viewer, portion.filter(({ isShort }) => isShort).flatMap(changesOf));
      const known = await seenReferences(viewer, portion);
      for (const found of portion) {
        scanned += Math.ceil(found.characters / CHARACTERS_OF_ONE);
        const shown = await operationsOf(viewer, found, { entities, sighting });
        if (shown === null || passed++ < offset) continue;
        if (batches.length === limit || !room.take(shown.bytes)) return { batches, hasMore: true, truncated: false };
        batches.push(viewBatch(found, shown, known));
      }
    }
  }
  return { batches, hasMore: false, truncated: true };
}

function changesOf(found: HistoryBatch): StoredChange[] {
  return [...found.changes()].flat();
}

function sightOf({ database, standing }: Viewer, changes: readonly StoredChange[]): Promise<Sighting> {
  return sight(database, standing, {
    nodes: changes.filter(({ kind }) => kind !== 'link').map(({ id }) => id),
    links: changes.filter(({ kind }) => kind === 'link').map(({ id }) => id),
  });
}

/** What a batch takes in a page besides its operations: about so many bytes. */
const BATCH_BYTES = 800;

interface ShownOperations {
  readonly ops: readonly HistoryOperation[];
  readonly bytes: number;
  /** There are more than fit into a page. */
  readonly truncated: boolean;
}

/** What the viewer may see of a batch, cut where it fills a page; null where that is nothing, or nothing of these entities. */
async function operationsOf(
  viewer: Viewer,
  found: HistoryBatch,
  { entities, sighting }: { readonly entities: Scope['entities']; readonly sighting: Sighting },
): Promise<ShownOperations | null> {
  const ops: HistoryOperation[] = [];
  let [bytes, truncated, isOfScope] = [BATCH_BYTES, false, false];
  for (const changes of found.changes()) {
    const seen = found.isShort ? sighting : await sightOf(viewer, changes);
    for (const op of historyOperations(changes, found.batch.ts, (change) => shownOf(change, viewer, seen))) {
      isOfScope ||= entities === null || entities.has(op.entityId);
      const more = Buffer.byteLength(JSON.stringify(op));
      truncated ||= ops.length > 0 && bytes + more > viewer.pageBytes;
      if (truncated) continue;
      bytes += more;
      ops.push({ ...op, id: ops.length + 1 });
    }
    if (truncated && isOfScope) break;
  }
  return isOfScope ? { ops, bytes, truncated } : null;
}

function shownOf(change: StoredChange, viewer: Viewer, sighting: Sighting): Shown | null {
  if (change.kind === 'link') return sighting.seesLink(change.id) ? 'whole' : bareWhere(sighting.recalls(change.id));
  if (change.kind === 'grant') return shownOfGrant(change, viewer, sighting);
  const level = sighting.level(change.id);
  if (level === null) return bareWhere(sighting.recalls(change.id));
  return allows(level, Level.ADMIN) ? 'whole' : 'tokenless';
}

function bareWhere(recalled: boolean): Shown | null {
  return recalled ? 'bare' : null;
}

/** A grant is shown to the node's admins and to its grantee; of a deleted node's, to who recalls the node (ACL9). */
function shownOfGrant(change: StoredChange, { actor }: Viewer, sighting: Sighting): Shown | null {
  const level = sighting.level(change.id);
  if (level === null) return bareWhere(sighting.recalls(change.id));
  const mine = change.email === actor.email.toLowerCase();
  return mine || allows(level, Level.ADMIN) ? 'whole' : null;
}

/** Of the batches that these undid or did again, those that the viewer sees: of others not even the id is told. */
async function seenReferences(viewer: Viewer, portion: readonly HistoryBatch[]): Promise<ReadonlySet<string>> {
  const ids = [...new Set(portion.flatMap(({ batch }) => [batch.undoOf, batch.redoOf]).filter((id) => id !== null))];
  const seen = new Set<string>();
  // Most pages hold neither undos nor redos: they cost no read more.
  if (ids.length === 0) return seen;
  for await (const referred of loadBatches(viewer.database, ids, viewer.takeTurn)) {
    const sighting = await sightOf(viewer, referred.filter(({ isShort }) => isShort).flatMap(changesOf));
    for (const found of referred) {
      if ((await operationsOf(viewer, found, { entities: null, sighting })) !== null) seen.add(found.batch.id);
    }
  }
  return seen;
}

function viewBatch(
  { batch, undone }: HistoryBatch,
  { ops, truncated }: ShownOperations,
  known: ReadonlySet<string>,
): Body {
  const { id, actorUsername, actorEmail, ts, undoOf, redoOf } = batch;
  return {
    batchId: id,
    actor: { username: actorUsername, email: actorEmail },
    ts,
    undone,
    ...(undoOf !== null && known.has(undoOf) ? { undoOf } : {}),
    ...(redoOf !== null && known.has(redoOf) ? { redoOf } : {}),
    ops,
    ...(truncated ? { truncated: true } : {}),
  };
}
