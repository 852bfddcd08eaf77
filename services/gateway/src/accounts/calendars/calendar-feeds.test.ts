// The requests of calendar programs, with hand-made workers that answer late, partly or not at all.
import { newTokenText } from '@taskgraph/runtime/security/tokens';
import type { ReplyMessage } from '@taskgraph/wire/bus/calls';
import { refuse } from '@taskgraph/wire/errors';
import { expect, test } from 'vitest';
import { hashOf } from '../../auth/token.ts';
import { createWrongTokens } from '../../auth/wrong-tokens.ts';
import type { Dispatch } from '../../calls/dispatch.ts';
import type { CallAnswer } from '../../http/answer.ts';
import { noLimits } from '../../limits/limits.ts';
import { answeredBy } from '../../test/support/worker-answers.ts';
import { calendarPath } from './calendar-address.ts';
import { createCalendarFeeds } from './calendar-feeds.ts';

type Sent = Parameters<Dispatch>[0];

const NODE = {
  id: '01985f0e-3d10-7a11-9c4a-6e8f0a124b53',
  version: 1,
  title: 'Go live',
  status: 0,
  dueDate: '2026-12-24T23:59:59.000Z',
  tags: [],
  priority: 0,
  createdTime: '2026-01-02T03:04:05.678Z',
  lastEditedTime: '2026-02-03T04:05:06.789Z',
  completedTime: null,
};
const page = (next: string | null): ReplyMessage => ({
  ok: true,
  body: { nodes: [NODE], hasMore: next !== null, next },
});

/** Calendars of a gateway whose workers answer by `dispatch`. Each user has a calendar of their name. */
function openFeeds(dispatch: (call: Sent) => Promise<ReplyMessage>, more: object = {}, wrongTokens = 100) {
  const secrets = new Map<string, string>();
  const owners = new Map<string, string>();
  let lookUps = 0;
  const { askWorkers } = answeredBy(async ({ payload }) => {
    lookUps++;
    const found = (payload.hashes as string[]).flatMap((hash) => {
      const name = owners.get(hash);
      if (name === undefined) return [];
      const id = `01985f0e-3d10-7a11-9c4a-${Buffer.from(name).toString('hex').padStart(12, '0').slice(-12)}`;
      const user = { id, username: name, email: `${name}@example.com` };
      const times = { createdTime: '2026-01-01T00:00:00.000Z', lastUsed: null };
      const calendar = { id, name, root: null, where: null, as: 'event', planned: null, ...times, ...more };
      return [{ hash, user, calendar }];
    });
    return { ok: true, body: { found } };
  });
  const feeds = createCalendarFeeds({
    askWorkers,
    deadlineMs: 60_000,
    wrongTokens: createWrongTokens(wrongTokens),
    dispatch,
    limits: noLimits,
    baseOf: () => 'https://tasks.example.com',
    hasConsole: true,
    log: { error: () => undefined },
  });
  const request = (path: string): Promise<CallAnswer> =>
    feeds.answer({ received: { path, header: () => '' }, ip: '192.0.2.1', traceId: 'a'.repeat(32) });
  return {
    lookUps: () => lookUps,
    request,
    of: (name: string) => {
      const secret = secrets.get(name) ?? newTokenText('calendar');
      secrets.set(name, secret);
      owners.set(hashOf(secret), name);
      return request(calendarPath(secret));
    },
  };
}

test('[ICAL2] a user has one calendar read at a time, so slow ones delay no other user', async () => {
  const started: string[] = [];
  const { of } = openFeeds(({ user }) => {
    started.push(user?.username ?? '');
    return user?.username === 'slow' ? new Promise(() => undefined) : Promise.resolve(page(null));
  });
  for (let count = 0; count < 15; count++) void of('slow');
  for (const name of ['ann', 'bob', 'carol']) expect(await of(name)).toMatchObject({ status: 200 });
  expect(started.filter((name) => name === 'slow')).toEqual(['slow']);
});

test('[ICAL2] further requests of a user are refused, not queued without a bound', async () => {
  const { of } = openFeeds(() => new Promise(() => undefined));
  const answers = Array.from({ length: 30 }, () => of('slow'));
  const refused = await Promise.race(answers);
  expect([refused.status, refused.headers?.['Retry-After']]).toEqual([503, '1']);
});

test('[ICAL2] a calendar that cannot be read completely is refused, and one with a further page has all entries', async () => {
  const after = ({ input }: Sent) =>
    (input as { value: { after?: string } }).value.after === undefined ? 'next' : null;
  const broken = openFeeds(async (call) =>
    after(call) === 'next' ? page('next') : { ok: false, error: 'unavailable', message: 'No worker answered in time.' },
  );
  expect(await broken.of('ann')).toMatchObject({ status: 503, body: { error: 'unavailable' } });
  const whole = openFeeds(async (call) => page(after(call)));
  const { page: text = '' } = await whole.of('ann');
  expect(text.match(/BEGIN:VEVENT/g)).toHaveLength(2);
  const endless = openFeeds(async () => page('next'));
  expect(await endless.of('ann')).toMatchObject({ status: 503 });
});

test('[ICAL3 PLAN6] a plan that is too large adds nothing', async () => {
  const events: string[] = [];
  const dispatch = async ({ operation }: Sent): Promise<ReplyMessage> => {
    events.push(operation.name);
    if (operation.name === 'node:find') return page(null);
    return { ok: false, error: 'bad_request.too_large', message: 'A plan has at most 20,000 nodes.' };
  };
  const { of } = openFeeds(dispatch, { planned: { start: null, unit: 'day' } });
  const { status, page: text = '' } = await of('ann');
  expect([status, text.match(/BEGIN:VEVENT/g)?.length]).toEqual([200, 1]);
  expect(events).toEqual(['node:find', 'graph:plan', 'node:find']);
});

test('[ICAL2 LIM4] a text that cannot be an address costs no look-up, and others are bounded', async () => {
  const feeds = openFeeds(async () => page(null), {}, 2);
  const wrong = [
    '/calendar/',
    '/calendar/x.ics',
    `/calendar/${newTokenText('api')}.ics`,
    `${calendarPath(newTokenText('calendar'))}x`,
    calendarPath(newTokenText('calendar')).replace('.ics', '!.ics'),
  ];
  for (const path of wrong)
    expect(await feeds.request(path)).toMatchObject({ status: 404, body: { error: 'not_found' } });
  expect(feeds.lookUps()).toBe(0);
  const statuses = [];
  for (let count = 0; count < 4; count++) {
    statuses.push((await feeds.request(calendarPath(newTokenText('calendar')))).status);
  }
  expect([statuses, feeds.lookUps()]).toEqual([[404, 404, 429, 429], 2]);
});

test('[ICAL2 GEN3] without an answer of a worker, an address is not called wrong', async () => {
  const { askWorkers } = answeredBy(async () => ({ ok: false, error: 'bad_request.unknown_event', message: 'No.' }));
  const feeds = createCalendarFeeds({
    askWorkers,
    deadlineMs: 1_000,
    wrongTokens: createWrongTokens(1),
    dispatch: async () => refuse('unavailable', 'No worker answered in time.'),
    limits: noLimits,
    baseOf: () => '',
    hasConsole: false,
    log: { error: () => undefined },
  });
  const received = { path: calendarPath(newTokenText('calendar')), header: () => '' };
  for (let count = 0; count < 2; count++) {
    expect(await feeds.answer({ received, ip: '192.0.2.1', traceId: 'a' })).toMatchObject({ status: 503 });
  }
});
