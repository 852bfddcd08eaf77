// Reads the entries of a calendar as its user, by `node:find` and `graph:plan`: it shows no more than
// these show at that moment. Rules: ICAL2, ICAL3.
import { withParsedBody } from '@taskgraph/bus/requests/raw-reply';
import {
  CALENDAR_FIELDS,
  type CalendarFeed,
  type CalendarNode,
  createCalendarFeed,
  type NodeAddress,
  type PlanBar,
} from '@taskgraph/domain/calendar/calendar-feed';
import type { ActingUser } from '@taskgraph/wire/actor';
import type { CalendarView } from '@taskgraph/wire/bus/account-messages';
import { refusalOf } from '@taskgraph/wire/bus/calls';
import { isRefusal, type Refusal, refuse } from '@taskgraph/wire/errors';
import {
  type CalendarConditions,
  dueDateSearch,
  openSearch,
} from '@taskgraph/wire/operations/calendars/calendar-searches';
import { MOST_HITS } from '@taskgraph/wire/operations/find-operations';
import { OPERATIONS } from '@taskgraph/wire/operations/operations';
import type { FoundNodes, Plan } from '@taskgraph/wire/public-types';
import type { Dispatch } from '../../calls/dispatch.ts';

/** Most pages of one search or plan. Together they have one deadline. */
const MOST_PAGES = 100;
const MOST_PLANNED = 5_000;

export interface CalendarRequest {
  readonly user: ActingUser;
  readonly calendar: CalendarView;
  readonly traceId: string;
  readonly arrivedMs: number;
  /** The client's address. */
  readonly from: string;
  readonly addressOf: NodeAddress;
}

/** The text of a calendar. Without access to its root, it has no entries. */
export async function readCalendar(dispatch: Dispatch, request: CalendarRequest): Promise<string | Refusal> {
  const { calendar, addressOf } = request;
  const feed = createCalendarFeed(calendar.name, addressOf);
  const refusal = await addEntries(readsOf(dispatch, request), request, feed);
  if (refusal === null) return feed.text();
  return isLostRoot(calendar, refusal) ? createCalendarFeed(calendar.name, addressOf).text() : refusal;
}

function isLostRoot({ root }: CalendarView, { code }: Refusal): boolean {
  return root !== null && (code === 'not_found' || code === 'forbidden');
}

async function addEntries(
  reads: CalendarReads,
  { calendar, arrivedMs }: CalendarRequest,
  feed: CalendarFeed,
): Promise<Refusal | null> {
  const where = calendar.where === null ? {} : (JSON.parse(calendar.where) as CalendarConditions);
  const isTasks = calendar.as === 'todo';
  const search = isTasks ? where : dueDateSearch(where);
  if (search !== null) {
    const sort = isTasks ? 'edited' : 'due';
    const refusal = await reads.find({ where: search, sort }, isTasks ? feed.addTask : feed.addDueDate);
    if (refusal !== null) return refusal;
  }
  if (calendar.planned === null) return null;
  const { unit, start } = calendar.planned;
  const bars = await reads.plan({ unit, start: start ?? beginningOfDay(arrivedMs) });
  if (isRefusal(bars)) return bars;
  return reads.find({ where: openSearch(where), sort: 'edited' }, (node) => {
    const bar = bars.get(node.id);
    return bar === undefined || feed.addBar(node, bar);
  });
}

function beginningOfDay(nowMs: number): string {
  return `${new Date(nowMs).toISOString().slice(0, 'YYYY-MM-DD'.length)}T00:00:00.000Z`;
}

interface CalendarReads {
  /** Hands over each hit, the last in order first, until `take` refuses one. */
  find(
    search: { where: CalendarConditions; sort: string },
    take: (node: CalendarNode) => boolean,
  ): Promise<Refusal | null>;
  /** The dates of the planned nodes by id; empty if the plan is too large. */
  plan(calendar: { unit: string; start: string }): Promise<ReadonlyMap<string, PlanBar> | Refusal>;
}

function readsOf(dispatch: Dispatch, { user, calendar, traceId, arrivedMs, from }: CalendarRequest): CalendarReads {
  const branch = calendar.root === null ? {} : { root: calendar.root };
  const call = { user, scopes: ['read'], transport: 'tool', key: undefined, traceId, arrivedMs, from } as const;

  async function ask<Page>(event: 'node:find' | 'graph:plan', fields: object): Promise<Page | Refusal> {
    const input = { value: { ...branch, ...fields } };
    const reply = await dispatch({ ...call, operation: OPERATIONS[event], input });
    if (isRefusal(reply)) return reply;
    const parsed = withParsedBody(reply);
    return parsed.ok ? (parsed.body as Page) : refusalOf(parsed);
  }

  /** Reads pages until one is the last, or `take` wants no more. */
  async function walk<Page extends { readonly hasMore: boolean; readonly next: string | null }>(
    readPage: (after: object) => Promise<Page | Refusal>,
    take: (page: Page) => boolean,
  ): Promise<Refusal | null> {
    let after = {};
    for (let pages = 0; pages < MOST_PAGES; pages++) {
      const page = await readPage(after);
      if (isRefusal(page)) return page;
      if (!take(page) || page.next === null) return null;
      after = { after: page.next };
    }
    return refuse('unavailable', 'The calendar has too many pages; try again later.');
  }

  return {
    find: ({ where, sort }, take) =>
      walk<FoundNodes>(
        (after) =>
          ask('node:find', { where, sort, order: 'desc', limit: MOST_HITS, fields: CALENDAR_FIELDS, ...after }),
        ({ nodes }) => nodes.every(take),
      ),
    async plan(dates) {
      const bars = new Map<string, PlanBar>();
      const refusal = await walk<Plan>(
        (after) => ask('graph:plan', { ...dates, limit: MOST_PLANNED, ...after }),
        ({ nodes }) => {
          for (const { id, startDate = null, finishDate = null } of nodes) bars.set(id, { startDate, finishDate });
          return true;
        },
      );
      return refusal === null || refusal.code === 'bad_request.too_large' ? bars : refusal;
    },
  };
}
