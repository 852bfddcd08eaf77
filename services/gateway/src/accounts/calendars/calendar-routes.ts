// The routes of a user's calendars: list, create, rotate and remove. Only the answers to creating and
// rotating contain an address. Rule: ICAL1.
import { newTokenText } from '@taskgraph/runtime/security/tokens';
import type { CalendarView } from '@taskgraph/wire/bus/account-messages';
import { isRefusal } from '@taskgraph/wire/errors';
import { hashOf } from '../../auth/token.ts';
import type { AskAccounts } from '../account-client.ts';
import { type AccountRoute, authenticatedRoute } from '../route.ts';
import { calendarPath } from './calendar-address.ts';

interface CalendarRoutesOptions {
  readonly ask: AskAccounts;
  readonly newId: (slot: number) => string;
  /** The address of the service for a request with this Host header. */
  readonly baseOf: (host: string) => string;
}

export function calendarRoutes({ ask, newId, baseOf }: CalendarRoutesOptions): readonly AccountRoute[] {
  const list = authenticatedRoute({ name: 'calendar:list' }, async (_payload, { user }, context) => {
    const found = await ask('account:calendars', {}, user, context);
    return isRefusal(found) ? found : { body: { calendars: found.calendars.map(shownCalendar) } };
  });

  const create = authenticatedRoute(
    { name: 'calendar:create', audited: 'calendar:create' },
    async ({ name, root = null, where, as, planned }, { user, token }, context) => {
      const secret = newTokenText('calendar');
      const id = newId(0);
      context.note({ calendarId: id, name });
      const calendar = {
        id,
        hash: hashOf(secret),
        session: token.id,
        name,
        root,
        where: where === undefined ? null : JSON.stringify(where),
        as,
        planned: planned === undefined ? null : { start: planned.start ?? null, unit: planned.unit },
      };
      const added = await ask('account:calendar:add', calendar, user, context);
      if (isRefusal(added)) return added;
      return { body: { calendar: shownCalendar(added.calendar), url: baseOf(context.host) + calendarPath(secret) } };
    },
  );

  const rotate = authenticatedRoute(
    { name: 'calendar:rotate', audited: 'calendar:rotate' },
    async ({ id }, { user, token }, context) => {
      const secret = newTokenText('calendar');
      context.note({ calendarId: id });
      const rotation = { id, hash: hashOf(secret), caller: token.id, request: newId(0) };
      const rotated = await ask('account:calendar:rotate', rotation, user, context);
      if (isRefusal(rotated)) return rotated;
      return { body: { calendar: shownCalendar(rotated.calendar), url: baseOf(context.host) + calendarPath(secret) } };
    },
  );

  const remove = authenticatedRoute(
    { name: 'calendar:remove', audited: 'calendar:remove' },
    async ({ id }, { user }, context) => {
      context.note({ calendarId: id });
      const removed = await ask('account:calendar:remove', { id, request: newId(0) }, user, context);
      return isRefusal(removed) ? removed : { body: {} };
    },
  );

  return [list, create, rotate, remove];
}

/** The conditions are stored as text. */
function shownCalendar({ where, ...calendar }: CalendarView) {
  return { ...calendar, where: where === null ? null : (JSON.parse(where) as Record<string, unknown>) };
}
