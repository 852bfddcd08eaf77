// The operations on calendar addresses. Rules: ICAL1, ICAL2.
import { z } from 'zod';
import { CALENDAR_ENTRIES, CALENDAR_NAME_LENGTH, CALENDAR_WHERE_LENGTH } from '../../account-fields.ts';
import { PLAN_UNITS } from '../../codes.ts';
import { type Refusal, refuseField } from '../../errors.ts';
import { text, timestamp } from '../../fields.ts';
import { anyId } from '../../ids.ts';
import * as answers from '../account-answers.ts';
import { own } from '../account-operations.ts';
import { EXAMPLE } from '../examples.ts';
import { checkSearch, findConditions } from '../find-operations.ts';
import type { Operation } from '../operation.ts';
import { type CalendarConditions, dueDateSearch, openSearch } from './calendar-searches.ts';

const nothing = z.strictObject({});
const named = z.strictObject({ id: anyId });
const plan = z.strictObject({
  start: timestamp.optional().describe('When the plan starts; without it, at the beginning of the current day in UTC.'),
  unit: z.enum(PLAN_UNITS).describe('The length of a unit of `volume`.'),
});

export const calendarOperations = {
  'calendar:list': {
    ...own,
    name: 'calendar:list',
    transports: { rest: { method: 'GET', path: '/api/calendar' } },
    summary: "Lists the caller's calendars, oldest first.",
    description: 'They do not contain their addresses, which the service does not store.',
    payload: nothing,
    answer: answers.calendars,
    errors: [],
    rules: ['ICAL1'],
    example: {},
  },
  'calendar:create': {
    ...own,
    name: 'calendar:create',
    transports: { rest: { method: 'POST', path: '/api/calendar' } },
    changes: true,
    resource: 'calendar',
    summary: 'Creates a calendar: an address from which calendar programs read due dates.',
    description:
      'Only this answer contains `url`. Everyone who knows the address reads what the caller sees at that moment, until the calendar is rotated or removed. A user has at most 20 calendars.',
    payload: z.strictObject({
      name: text(CALENDAR_NAME_LENGTH, 1).describe('Its name, which calendar programs show.'),
      root: anyId.optional().describe('The root of a branch; by default the whole graph.'),
      where: findConditions
        .optional()
        .describe('Conditions, as `node:find` takes them: at most 15, or 16 if `due` and `status` are among them.'),
      as: z
        .enum(CALENDAR_ENTRIES)
        .default('event')
        .describe('An event for each due date, or a task for each node. Many programs show no tasks.'),
      planned: plan.optional().describe('Adds an event for each open node, from its start to its finish in the plan.'),
    }),
    check: checkCalendar,
    answer: answers.newCalendar,
    errors: ['conflict.too_many_calendars'],
    rules: ['ICAL1', 'ICAL2', 'ICAL3'],
    example: { name: 'Due dates', where: { assignee: ['me'] }, as: 'event' },
  },
  'calendar:rotate': {
    ...own,
    name: 'calendar:rotate',
    transports: { rest: { method: 'POST', path: '/api/calendar/rotate' } },
    changes: true,
    resource: 'calendar',
    summary: 'Gives a calendar another address, and ends the present one.',
    description: 'Only this answer contains `url`.',
    payload: named,
    answer: answers.newCalendar,
    errors: ['not_found'],
    rules: ['ICAL1', 'ICAL2'],
    example: { id: EXAMPLE.calendar },
  },
  'calendar:remove': {
    ...own,
    name: 'calendar:remove',
    transports: { rest: { method: 'DELETE', path: '/api/calendar' } },
    changes: true,
    resource: 'calendar',
    summary: 'Removes a calendar and ends its address.',
    description: 'Programs may keep the entries that they have read.',
    payload: named,
    answer: answers.done,
    errors: ['not_found'],
    rules: ['ICAL1', 'ICAL2'],
    example: { id: EXAMPLE.calendar },
  },
} as const satisfies Record<string, Operation>;

/** The searches of the feed must be valid too. */
function checkCalendar({ where = {} }: { readonly where?: CalendarConditions }): Refusal | null {
  if (JSON.stringify(where).length > CALENDAR_WHERE_LENGTH) {
    const message = `The conditions of a calendar have at most ${CALENDAR_WHERE_LENGTH} characters as JSON.`;
    return refuseField('invalid', 'where', message);
  }
  const searches = [where, dueDateSearch(where) ?? where, openSearch(where) ?? where];
  return searches.reduce<Refusal | null>((refused, search) => refused ?? checkSearch({ where: search }), null);
}
