// Answers webhook:due-search: continues the search for the due nodes of a webhook's next message. Rules: HOOK2, HOOK5,
// HOOK6.
//
// 1. Each read examines a bounded number of nodes, for about two seconds. A read that reaches its bounds ends no message:
//    the next one continues it. So the nodes of a message do not depend on the nodes that the user does not see.
// 2. The end of the search is fixed when it begins: it is that of a window of due dates.
import { type DueMessageSize, fittingEvents } from '@taskgraph/domain/webhooks/due-events';
import { listDueNodes } from '@taskgraph/graph-store/webhooks/due-nodes';
import { type DuePosition, type DueSearchResult, GATEWAY_READS } from '@taskgraph/wire/bus/gateway-reads';
import type { WireNode } from '@taskgraph/wire/entities';
import { DAY_MS } from '@taskgraph/wire/timestamps';
import { lastWindowEnd } from '@taskgraph/wire/webhooks/due-windows';
import { MOST_DUE_OF_MESSAGE } from '@taskgraph/wire/webhooks/webhook-fields';
import { historyHorizon } from '../history/history-horizon.ts';
import { createDueHistory, type DueHistory } from './due-history.ts';
import type { FilterSource } from './event-filter.ts';
import { type DueFilter, dueEventOf, dueFilterOf, openNodesAt } from './open-due-nodes.ts';
import { createWebhookRead } from './webhook-read.ts';

/** Due nodes of all users that one statement examines, and that one examines for `next`. */
const EXAMINED = { search: 2_000, next: 1_000 } as const;
/** Statements of one read. */
const MOST_PAGES = 5;
/** After so many milliseconds a read ends. */
const MOST_READ_MS = 2_000;
/** How far ahead `next` looks: a search comes at least once a day, some seconds after the end of the last one. */
const NEXT_MS = DAY_MS + 3_600_000;

export const searchWebhookDue = createWebhookRead({
  payload: GATEWAY_READS['webhook:due-search'],
  needs: 'A webhook with a position in the order of due dates is needed.',
  async find({ from, until, count, bytes, ...webhook }, source, environment) {
    const { horizon = historyHorizon } = environment;
    // Before the nodes are read: a change until then is stored, and a later one is after its due dates.
    const settled = await horizon(environment);
    const end = until ?? new Date(lastWindowEnd(Date.parse(settled))).toISOString();
    const filter = await dueFilterOf(source, webhook);
    const search = { source, filter, history: createDueHistory(source), from, end: { time: end, id: '' }, settled };
    const found = await continueSearch(search, { count, bytes });
    const isEmpty = found.state === 'ended' && count + found.nodes.length === 0;
    const next = isEmpty ? await nextAfter(source, found.to) : null;
    return { body: { ...found, until: end, next } satisfies Omit<DueSearchResult, 'checkedMs'> };
  },
});

interface DueSearch {
  readonly source: FilterSource;
  readonly filter: DueFilter;
  readonly history: DueHistory;
  readonly from: DuePosition;
  readonly end: DuePosition;
  /** All changes up to this time are stored. */
  readonly settled: string;
}

type FoundNodes = Pick<DueSearchResult, 'to' | 'nodes' | 'bytes' | 'state'>;

/** Adds nodes to a message of this size, up to the bounds of the read. */
async function continueSearch(search: DueSearch, found: DueMessageSize): Promise<FoundNodes> {
  const { source, from, end, settled } = search;
  const nodes: DuePosition[] = [];
  let [to, size] = [from, found];
  const result = (state: FoundNodes['state']): FoundNodes => ({ to, nodes, bytes: size.bytes, state });
  // A position with an id is after the end of its own time.
  if (from.time >= end.time) return result('ended');
  const stopMs = performance.now() + MOST_READ_MS;
  for (let pages = 0; pages < MOST_PAGES && (pages === 0 || performance.now() < stopMs); pages++) {
    const page = await list(source, { after: to, to: end, settled, limit: EXAMINED.search });
    for (let rest = page.found, isFirst = true; rest.length > 0; isFirst = false) {
      if (!isFirst && performance.now() >= stopMs) return result('continued');
      const some = rest.slice(0, MOST_DUE_OF_MESSAGE);
      const { due, decided } = await dueNodesAt(search, some);
      const message = fittingEvents(due.map(dueEventOf), size);
      nodes.push(...due.slice(0, message.fitting).map(positionOf));
      size = message.size;
      const examined = message.isFull ? endOfMessage(some, due, message.fitting) : decided;
      to = some[examined - 1] ?? to;
      if (message.isFull) return result('full');
      if (decided < some.length) return result('continued');
      rest = rest.slice(decided);
    }
    to = page.last ?? end;
    if (page.last === null) return result('ended');
  }
  return result('continued');
}

interface DecidedPositions {
  /** How many of the first positions are decided; at least one at the beginning of a read. */
  readonly decided: number;
  /** The nodes at these that are for the webhook, and were due. */
  readonly due: readonly WireNode[];
}

async function dueNodesAt(
  { source, filter, history }: DueSearch,
  positions: readonly DuePosition[],
): Promise<DecidedPositions> {
  const open = await openNodesAt(source, filter, positions);
  const { due, decided } = await history(open);
  const undecided = open[decided];
  return { due, decided: undecided === undefined ? positions.length : indexOf(positions, undecided) };
}

/** How many of these positions are before the first node that does not fit into the message. */
function endOfMessage(positions: readonly DuePosition[], due: readonly WireNode[], fitting: number): number {
  const next = due[fitting];
  return next === undefined ? indexOf(positions, due.at(-1)) + 1 : indexOf(positions, next);
}

function indexOf(positions: readonly DuePosition[], node: WireNode | undefined): number {
  return positions.findIndex(({ id }) => id === node?.id);
}

function positionOf({ id, dueDate }: WireNode): DuePosition {
  return { time: dueDate ?? '', id };
}

function list(
  { database, readerAccess }: FilterSource,
  range: Pick<Parameters<typeof listDueNodes>[1], 'after' | 'to' | 'settled' | 'limit'>,
) {
  const { readerId, shown } = readerAccess;
  return listDueNodes(database, { ...range, readerId, feeds: shown.map(({ feed }) => feed) });
}

/**
 * The next due date of an open node that the user sees, whatever the filter is, within a day; null if there is none.
 * If more nodes of others are due before than are examined, it is the time of this position, so that the next search
 * comes with the next window.
 */
async function nextAfter(source: FilterSource, after: DuePosition): Promise<string | null> {
  const to = { time: new Date(Date.parse(after.time) + NEXT_MS).toISOString(), id: '' };
  // A date that changes meanwhile only moves the next search.
  const { found, last } = await list(source, { after, to, settled: to.time, limit: EXAMINED.next });
  return found[0]?.time ?? (last === null ? null : after.time);
}
