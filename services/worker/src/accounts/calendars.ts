// The calendars of the calling user. Rules: ICAL1, ICAL2.
import {
  addCalendar,
  listCalendars,
  MAXIMUM_CALENDARS,
  removeCalendar,
  rotateCalendar,
} from '@taskgraph/graph-store/accounts/calendars';
import { refuse } from '@taskgraph/wire/errors';
import { endedCaller, handleFor } from './handler.ts';

const unknownCalendar = refuse('not_found', 'There is no such calendar.');

export const accountCalendars = handleFor('account:calendars', async ({ actor }, { database }) => ({
  calendars: await listCalendars(database, actor.id),
}));

export const accountCalendarAdd = handleFor('account:calendar:add', async ({ payload, actor }, environment) => {
  const { database, nowMs } = environment;
  const calendar = await addCalendar(database, { ...payload, userId: actor.id }, nowMs());
  if (calendar === 'ended') return endedCaller;
  if (calendar !== 'too_many') return { calendar };
  return refuse('conflict.too_many_calendars', `A user can have at most ${MAXIMUM_CALENDARS} calendars.`, {
    most: MAXIMUM_CALENDARS,
  });
});

export const accountCalendarRotate = handleFor(
  'account:calendar:rotate',
  async ({ payload, actor, now }, { database }) => {
    const calendar = await rotateCalendar(database, { ...payload, userId: actor.id, now });
    if (calendar === 'ended') return endedCaller;
    return calendar === null ? unknownCalendar : { calendar };
  },
);

export const accountCalendarRemove = handleFor(
  'account:calendar:remove',
  async ({ payload, actor, now }, { database }) =>
    (await removeCalendar(database, { ...payload, userId: actor.id, now })) ? {} : unknownCalendar,
);
