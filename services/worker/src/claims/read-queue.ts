// Reads the queue of a claim: the free nodes of the ready list, in its order, as far as the caller
// may edit them and they meet the conditions. The decision judges each node again, except by the
// conditions, so that the queue may be stale. Rules: CLAIM1, PLAN3, FIND2, ACL1.
import { allows } from '@taskgraph/domain/access/reader-access';
import { neighborsIn, readsLinks } from '@taskgraph/domain/find/conditions';
import { createFinder, type SearchableNode } from '@taskgraph/domain/find/search';
import { withOrderedReads } from '@taskgraph/graph-store/driver/database';
import { readLinkFacts } from '@taskgraph/graph-store/reads/link-facts';
import { readNodesWithFeeds } from '@taskgraph/graph-store/reads/nodes-with-feeds';
import { createByteBudget } from '@taskgraph/graph-store/reads/page-byte-limit';
import { readClaimableNodes } from '@taskgraph/graph-store/reads/plan/claimable-nodes';
import { accessByShown, levelOf, type ReaderAccess } from '@taskgraph/graph-store/reads/reader';
import { readAccessOn } from '@taskgraph/graph-store/reads/visible';
import type { ActingUser } from '@taskgraph/wire/actor';
import type { ReadMessage } from '@taskgraph/wire/bus/calls';
import { Level } from '@taskgraph/wire/codes';
import { isRefusal, type Refusal, refuse } from '@taskgraph/wire/errors';
import { claimSearch } from '@taskgraph/wire/operations/claims/claim-search';
import { OPERATIONS } from '@taskgraph/wire/operations/operations';
import { parsePayload } from '@taskgraph/wire/operations/payload-parser';
import { searchableNodes } from '../reads/find/node-index.ts';
import { nowOf, type ReadEnvironment, replyTo } from '../reads/read-handler.ts';
import { cachedPlan } from '../reads/read-plan.ts';

/** A queue: the nodes that its reader may claim, as `node:claim` describes them. */
export interface QueueRequest {
  readonly actor: ActingUser;
  readonly root?: string | undefined;
  readonly where?: Readonly<Record<string, unknown>> | undefined;
}

/** The queue in parts, in order. A part may be empty; null ends the queue. */
export type QueueParts = { next(): Promise<readonly string[] | Refusal | null> };

/** For whom and until when a queue is read, at each read. */
export interface QueueSource {
  readonly request: () => QueueRequest;
  /** The newest call that uses the queue. */
  readonly call: () => Pick<ReadMessage, 'deadline' | 'traceId'>;
  /** Runs a read in the turn of its reader. */
  inTurn<T extends object>(
    work: () => Promise<T | Refusal>,
    bytesOf: (result: T | Refusal) => number,
  ): Promise<T | Refusal>;
}

/** Nodes of the first part and of the longest one. Each part is four times as long as the last. */
const FIRST_PART = 250;
const LONGEST_PART = 4_000;
const GROWTH = 4;
/** With conditions, whose judgement needs whole nodes. */
const LONGEST_PART_WITH_CONDITIONS = 1_000;
const READ_TRIES = 3;
/** Rough size of a node in a page, bytes. */
const NODE_BYTES = 260;

/** The ready list at one time, and the access of its reader then. */
interface ReadyList {
  readonly ready: readonly string[];
  readonly planned: number;
  readonly readerAccess: ReaderAccess;
}

/** Reads the order of the queue. The parts read which of its nodes are free at that time. */
export async function openQueue(source: QueueSource, given: ReadEnvironment): Promise<QueueParts | Refusal> {
  const environment = { ...given, database: withOrderedReads(given.database) };
  const { root, where } = source.request();
  const meets = where === undefined ? null : conditionsOf(where);
  if (isRefusal(meets)) return meets;
  const list = await attempt(source, environment, () => readyList(environment, source.request()), sizeOfList);
  if (isRefusal(list)) return list;
  const { ready, readerAccess } = list;
  const access = root === undefined ? accessByShown(readerAccess) : readerAccess;
  const longest = meets === null ? LONGEST_PART : LONGEST_PART_WITH_CONDITIONS;
  let [from, length] = [0, FIRST_PART];
  return {
    async next() {
      if (from >= ready.length) return null;
      const part = ready.slice(from, from + length);
      const read = async () => {
        const free = await freeNodes(environment, readerAccess, part);
        if (meets === null) return { ids: free };
        return { ids: await meets(free, { environment, actor: source.request().actor, readerAccess, access }) };
      };
      const free = await attempt(source, environment, read, () => NODE_BYTES * (meets === null ? 0 : part.length));
      if (isRefusal(free)) return free;
      from += part.length;
      length = Math.min(length * GROWTH, longest);
      return free.ids;
    },
  };
}

function sizeOfList(list: ReadyList | Refusal): number {
  return isRefusal(list) ? 0 : NODE_BYTES * list.planned;
}

/**
 * The result of a read in the turn of its reader, which is repeated while the database is busy.
 * Nothing is read for a call whose sender has given up.
 */
function attempt<T extends object>(
  { inTurn, call }: QueueSource,
  environment: ReadEnvironment,
  work: () => Promise<T | Refusal>,
  bytesOf: (result: T | Refusal) => number,
): Promise<T | Refusal> {
  return inTurn(async () => {
    const { deadline, traceId } = call();
    if (environment.nowMs() >= deadline) return notRead;
    let result: T | Refusal | null = null;
    const read = async () => {
      result = await work();
      return isRefusal(result) ? result : {};
    };
    const message = { event: 'node:claim', payload: {}, actor: null, deadline, traceId };
    const reply = await replyTo(read, { message, environment, attempts: READ_TRIES });
    // A busy database leaves the result of no attempt, or of one that failed later.
    return result !== null && (reply.ok || isRefusal(result)) ? result : notRead;
  }, bytesOf);
}

const NOT_DONE = { outcome: 'not_done' } as const;
const notRead = refuse('unavailable', 'The queue could not be read; try again.', NOT_DONE);

async function readyList(
  environment: ReadEnvironment,
  { actor, root }: Pick<QueueRequest, 'actor' | 'root'>,
): Promise<ReadyList | Refusal> {
  const roots = root === undefined ? [] : [root];
  const readerAccess = await readAccessOn(environment.database, actor, nowOf(environment), roots);
  const planned = await cachedPlan(environment, { actor, readerAccess, payload: { root } });
  if (planned === null) {
    return refuse('unavailable', 'Links changed while the plan was read; try again.', NOT_DONE);
  }
  if (isRefusal(planned)) return planned;
  return { ready: planned.plan.ready, planned: planned.plan.nodes.length, readerAccess };
}

async function freeNodes(
  environment: ReadEnvironment,
  readerAccess: ReaderAccess,
  ids: readonly string[],
): Promise<readonly string[]> {
  const free = await readClaimableNodes(environment.database, ids, nowOf(environment));
  return ids.filter((id) => {
    const node = free.get(id);
    return node !== undefined && allows(levelOf(readerAccess, node), Level.EDITOR);
  });
}

interface Judgement {
  readonly environment: ReadEnvironment;
  readonly actor: ActingUser;
  readonly readerAccess: ReaderAccess;
  /** The access by which the reader sees the nodes. */
  readonly access: ReaderAccess;
}

/** Selects the nodes that `node:find` would find by these conditions, in their order. */
type Conditions = (ids: readonly string[], judgement: Judgement) => Promise<readonly string[]>;

function conditionsOf(where: NonNullable<QueueRequest['where']>): Conditions | Refusal {
  const payload = JSON.parse(JSON.stringify({ where: claimSearch(where) })) as Record<string, unknown>;
  const search = parsePayload(OPERATIONS['node:find'], payload);
  if (isRefusal(search)) return search;
  const finder = createFinder(search);
  const conditions = search.where ?? {};
  return async (ids, judgement) => {
    const { environment, actor, readerAccess, access } = judgement;
    const nodes = await readSearchable(ids, judgement);
    const context = { now: nowOf(environment), username: actor.username, links: null };
    const candidates = nodes.filter((node) => finder.placeOf(node, context) !== null);
    if (!readsLinks(conditions) || candidates.length === 0) return idsOf(ids, candidates);
    const links = await readLinkFacts(environment.database, {
      nodes: candidates.map(({ id }) => id),
      neighbors: neighborsIn(conditions),
      readerId: readerAccess.readerId,
      feeds: [...access.levels.keys()],
    });
    return idsOf(
      ids,
      candidates.filter((node) => finder.placeOf(node, { ...context, links }) !== null),
    );
  };
}

function idsOf(ids: readonly string[], nodes: readonly SearchableNode[]): readonly string[] {
  const found = new Set(nodes.map(({ id }) => id));
  return ids.filter((id) => found.has(id));
}

/** The nodes with their texts, as much at once as a page may have. */
async function readSearchable(
  ids: readonly string[],
  { environment, actor, readerAccess, access }: Judgement,
): Promise<SearchableNode[]> {
  const { database, pages } = environment;
  const found: SearchableNode[] = [];
  for (let at = 0; at < ids.length; ) {
    const page = await readNodesWithFeeds(database, ids.slice(at), createByteBudget(pages.pageBytes));
    found.push(...(await searchableNodes({ database, actor, readerAccess }, page.nodes, access)));
    at += page.consumed;
  }
  return found;
}
