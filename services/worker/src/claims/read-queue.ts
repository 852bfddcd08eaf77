// Reads the queue of a claim: the free nodes of the ready list, in its order, as far as the caller
// may edit them. The decision judges each node again, so that the queue may be stale. Rules: CLAIM1,
// PLAN3, FIND2, ACL1.
import { allows } from '@taskgraph/domain/access/reader-access';
import { planOf } from '@taskgraph/domain/plan/plan';
import { withOrderedReads } from '@taskgraph/graph-store/driver/database';
import { readClaimableNodes } from '@taskgraph/graph-store/reads/plan/claimable-nodes';
import { levelOf, type ReaderAccess } from '@taskgraph/graph-store/reads/reader';
import { readAccessOn } from '@taskgraph/graph-store/reads/visible';
import type { ActingUser } from '@taskgraph/wire/actor';
import type { ReadMessage } from '@taskgraph/wire/bus/calls';
import { Level } from '@taskgraph/wire/codes';
import { isRefusal, type Refusal, refuse } from '@taskgraph/wire/errors';
import { claimSearch } from '@taskgraph/wire/operations/claims/claim-search';
import { MOST_HITS } from '@taskgraph/wire/operations/find-operations';
import { readFind } from '../reads/find/read-find.ts';
import { nowOf, type ReadEnvironment, replyTo } from '../reads/read-handler.ts';
import { readPlanned } from '../reads/read-plan.ts';

/** A queue: the nodes that its reader may claim, as `node:claim` describes them. */
export interface QueueRequest {
  readonly actor: ActingUser;
  readonly root?: string | undefined;
  readonly where?: Readonly<Record<string, unknown>> | undefined;
}

/** The queue in parts, in order. A part may be empty; null ends the queue. */
export type QueueParts = { next(): Promise<readonly string[] | Refusal | null> };

type Deadline = Pick<ReadMessage, 'deadline' | 'traceId'>;

/** Nodes of the first part and of the longest one. Each part is four times as long as the last. */
const FIRST_PART = 250;
const LONGEST_PART = 4_000;
const GROWTH = 4;
/** Pages of the search. A plan has at most 20,000 nodes, which are 40 pages of one round. */
const MOST_PAGES = 100;
const READ_TRIES = 3;

/** Reads the order of the queue. The parts read which of its nodes are free at that time. */
export async function openQueue(
  request: QueueRequest,
  given: ReadEnvironment,
  message: Deadline,
): Promise<QueueParts | Refusal> {
  const environment = { ...given, database: withOrderedReads(given.database) };
  const attempt = <T extends object>(work: () => Promise<T | Refusal>) => answerOf(work, environment, message);
  const opened = await attempt(async () => {
    const { actor, root } = request;
    const readerAccess = await readAccessOn(
      environment.database,
      actor,
      nowOf(environment),
      root === undefined ? [] : [root],
    );
    const ready = await readyNodes(environment, readerAccess, root);
    if (isRefusal(ready) || request.where === undefined) return isRefusal(ready) ? ready : { ready, readerAccess };
    const found = await search(request, environment, message);
    return isRefusal(found) ? found : { ready: ready.filter((id) => found.has(id)), readerAccess };
  });
  if (isRefusal(opened)) return opened;
  const { ready, readerAccess } = opened;
  let [from, length] = [0, FIRST_PART];
  return {
    async next() {
      if (from >= ready.length) return null;
      const part = ready.slice(from, from + length);
      const free = await attempt(async () => ({ ids: await freeNodes(environment, readerAccess, part) }));
      if (isRefusal(free)) return free;
      from += length;
      length = Math.min(length * GROWTH, LONGEST_PART);
      return free.ids;
    },
  };
}

/** The result of a read, which is repeated while the database is busy. */
async function answerOf<T extends object>(
  work: () => Promise<T | Refusal>,
  environment: ReadEnvironment,
  message: Deadline,
): Promise<T | Refusal> {
  let result: T | Refusal | null = null;
  const attempt = async () => {
    result = await work();
    return isRefusal(result) ? result : {};
  };
  const read = { event: 'node:claim', payload: {}, actor: null, ...message };
  const reply = await replyTo(attempt, { message: read, environment, attempts: READ_TRIES });
  // A busy database leaves the result of no attempt, or of one that failed later.
  if (result !== null && (reply.ok || isRefusal(result))) return result;
  return refuse('unavailable', 'The queue could not be read; try again.', NOT_DONE);
}

const NOT_DONE = { outcome: 'not_done' } as const;

async function readyNodes(
  { database }: ReadEnvironment,
  readerAccess: ReaderAccess,
  root: string | undefined,
): Promise<readonly string[] | Refusal> {
  const planned = await readPlanned(database, readerAccess, root);
  if (isRefusal(planned)) return planned;
  const plan = planOf({ ...planned, calendar: null });
  if (plan !== null) return plan.ready;
  return refuse('unavailable', 'Links changed while the plan was read; try again.', NOT_DONE);
}

/** The ids that `node:find` finds. */
async function search(
  { actor, root, where = {} }: QueueRequest,
  environment: ReadEnvironment,
  { deadline, traceId }: Deadline,
): Promise<ReadonlySet<string> | Refusal> {
  const found = new Set<string>();
  // Nodes that are created meanwhile come last, so that the walk misses none.
  const query = { root, where: claimSearch(where), sort: 'created', limit: MOST_HITS, fields: ['id'] };
  let after: string | undefined;
  for (let pages = 0; pages < MOST_PAGES; pages++) {
    const payload = JSON.parse(JSON.stringify({ ...query, after })) as Record<string, unknown>;
    const page = await readFind({ event: 'node:find', payload, actor, deadline, traceId }, environment);
    if (isRefusal(page)) return page;
    const { nodes, next } = page as unknown as { nodes: readonly { id: string }[]; next: string | null };
    for (const { id } of nodes) found.add(id);
    if (next === null) return found;
    after = next;
  }
  return refuse('bad_request.too_large', 'The conditions of the claim find too many nodes.', { most: found.size });
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
