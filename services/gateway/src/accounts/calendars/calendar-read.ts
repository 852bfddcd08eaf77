// Reads the entries of a calendar as its user, by `node:find` and `graph:plan`: it shows no more than
// these show at that moment. Rules: ICAL2, ICAL3.
import { withParsedBody } from '@taskgraph/bus/requests/raw-reply';
import {
  barOf,
  CALENDAR_FIELDS,
  type CalendarNode,
  type CalendarText,
  createCalendarText,
  type PageUrlOf,
  type PlanBar,
} from '@taskgraph/domain/calendar/calendar-text';
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

const PLAN_PAGE_LIMIT = 5_000;

export interface CalendarRequest {
  readonly user: ActingUser;
  readonly calendar: CalendarView;
  readonly traceId: string;
  readonly arrivedMs: number;
  /** The client's address. */
  readonly from: string;
  readonly pageUrlOf: PageUrlOf;
  /** Whether the client has gone, so that no more pages are needed. */
  readonly isGone: () => boolean;
}

/** The text of a calendar. Without access to its root, it has no entries. */
export async function readCalendar(dispatch: Dispatch, request: CalendarRequest): Promise<string | Refusal> {
  const { calendar, pageUrlOf } = request;
  const text = createCalendarText(calendar.name, pageUrlOf);
  const refusal = await addEntries(readsOf(dispatch, request), request, text);
  if (refusal === null) return text.text();
  return isLostRoot(calendar, refusal) ? createCalendarText(calendar.name, pageUrlOf).text() : refusal;
}

function isLostRoot({ root }: CalendarView, { code }: Refusal): boolean {
  return root !== null && (code === 'not_found' || code === 'forbidden');
}

async function addEntries(
  reads: CalendarReads,
  { calendar, arrivedMs }: CalendarRequest,
  text: CalendarText,
): Promise<Refusal | null> {
  const where = calendar.where === null ? {} : (JSON.parse(calendar.where) as CalendarConditions);
  const isTasks = calendar.as === 'todo';
  const search = isTasks ? where : dueDateSearch(where);
  if (search !== null) {
    const refusal = await reads.find(search, isTasks ? text.addTask : text.addDueDate);
    if (refusal !== null) return refusal;
  }
  const openNodes = openSearch(where);
  if (calendar.planned === null || openNodes === null || text.isFull()) return null;
  const { unit, start } = calendar.planned;
  const today = beginningOfDay(arrivedMs);
  const bars = await reads.plan({ unit, start: start ?? today });
  if (isRefusal(bars)) return bars;
  // A walk that can add nothing more would only delay the calendar, or make it fail.
  if (bars.size === 0) return null;
  return reads.find(openNodes, (node) => {
    const bar = bars.get(node.id);
    if (bar === undefined) return true;
    bars.delete(node.id);
    return text.addBar(node, bar, today) && bars.size > 0;
  });
}

function beginningOfDay(nowMs: number): string {
  return `${new Date(nowMs).toISOString().slice(0, 'YYYY-MM-DD'.length)}T00:00:00.000Z`;
}

interface CalendarReads {
  /**
   * Calls `take` for each hit, the last created first, until it returns false. The time of creation
   * never changes, so no change between two pages makes the walk miss a node.
   */
  find(where: CalendarConditions, take: (node: CalendarNode) => boolean): Promise<Refusal | null>;
  /** The bars of the planned nodes by id; none if the plan is too large. */
  plan(calendar: { unit: string; start: string }): Promise<Map<string, PlanBar> | Refusal>;
}

function readsOf(dispatch: Dispatch, request: CalendarRequest): CalendarReads {
  const { user, calendar, traceId, arrivedMs, from, isGone } = request;
  const branch = calendar.root === null ? {} : { root: calendar.root };
  // As over REST, pages have up to 4 MiB. They count fields that are left out, such as assignees, so
  // few nodes could fill a shorter page.
  const call = { user, scopes: ['read'], transport: 'rest', key: undefined, traceId, arrivedMs, from } as const;

  async function ask<Page>(event: 'node:find' | 'graph:plan', fields: object): Promise<Page | Refusal> {
    const input = { value: { ...branch, ...fields } };
    const reply = await dispatch({ ...call, operation: OPERATIONS[event], input });
    if (isRefusal(reply)) return reply;
    const parsed = withParsedBody(reply);
    return parsed.ok ? (parsed.body as Page) : refusalOf(parsed);
  }

  /**
   * Reads pages until one is the last, or `take` wants no more. Past the deadline of the request, the
   * next page is refused, so it is the bound of all of them.
   */
  async function walk<Page extends { readonly hasMore: boolean; readonly next: string | null }>(
    readPage: (after: object) => Promise<Page | Refusal>,
    take: (page: Page) => boolean,
  ): Promise<Refusal | null> {
    let after = {};
    while (!isGone()) {
      const page = await readPage(after);
      if (isRefusal(page)) return page;
      if (!take(page) || page.next === null) return null;
      after = { after: page.next };
    }
    return gone;
  }

  return {
    find(where, take) {
      const search = { where, sort: 'created', order: 'desc', limit: MOST_HITS, fields: CALENDAR_FIELDS };
      return walk<FoundNodes>(
        (after) => ask('node:find', { ...search, ...after }),
        ({ nodes }) => nodes.every(take),
      );
    },
    async plan(dates) {
      const bars = new Map<string, PlanBar>();
      const refusal = await walk<Plan>(
        (after) => ask('graph:plan', { ...dates, limit: PLAN_PAGE_LIMIT, ...after }),
        ({ nodes }) => {
          for (const { id, startDate = null, finishDate = null } of nodes) {
            const bar = barOf(startDate, finishDate);
            if (bar !== null) bars.set(id, bar);
          }
          return true;
        },
      );
      return refusal === null || refusal.code === 'bad_request.too_large' ? bars : refusal;
    },
  };
}

/** In place of a calendar for which its client did not wait. */
export const gone = refuse('unavailable', 'The client has gone.');
