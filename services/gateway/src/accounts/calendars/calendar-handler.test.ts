// The requests of calendar programs, with hand-made workers that answer late, partly or not at all.
import { newTokenText } from '@taskgraph/runtime/security/tokens';
import type { ReplyMessage } from '@taskgraph/wire/bus/calls';
import { refuse } from '@taskgraph/wire/errors';
import { expect, test } from 'vitest';
import { hashOf } from '../../auth/token.ts';
import { createWrongTokens } from '../../auth/wrong-tokens.ts';
import type { Dispatch } from '../../calls/dispatch.ts';
import type { CallAnswer } from '../../http/answer.ts';
import { type Caller, demandsOf, noLimits } from '../../limits/limits.ts';
import { answeredBy } from '../../test/support/worker-answers.ts';
import { calendarPath } from './calendar-address.ts';
import { createCalendarHandler } from './calendar-handler.ts';

type DispatchedCall = Parameters<Dispatch>[0];

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
const page = (next: string | null, nodes: object[] = [NODE]): ReplyMessage => ({
  ok: true,
  body: { nodes, hasMore: next !== null, next },
});
const nodeOf = (serial: number) => ({ ...NODE, id: `01985f0e-3d10-7a11-9c4a-${String(serial).padStart(12, '0')}` });
const fieldsOf = ({ input }: DispatchedCall) => (input as { value: Record<string, unknown> }).value;
const entriesOf = ({ page: text = '' }: CallAnswer) => text.match(/BEGIN:VEVENT/g)?.length ?? 0;

/** Calendars of a gateway whose workers answer by `dispatch`. Each user has a calendar of their name. */
function openHandler(
  dispatch: (call: DispatchedCall) => Promise<ReplyMessage>,
  more: object = {},
  wrongAddresses = 100,
) {
  const secrets = new Map<string, string>();
  const owners = new Map<string, string>();
  const counted: [names: readonly string[], caller: Caller][] = [];
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
  const handler = createCalendarHandler({
    askWorkers,
    deadlineMs: 60_000,
    wrongAddresses: createWrongTokens(wrongAddresses, 'calendars'),
    dispatch,
    limits: {
      async take(names, caller) {
        counted.push([names, caller]);
        return { refusal: null, headers: {} };
      },
    },
    baseOf: () => 'https://tasks.example.com',
    hasConsole: true,
    log: { error: () => undefined },
  });
  const request = (path: string, isGone = () => false): Promise<CallAnswer> =>
    handler.answer({ received: { path, header: () => '' }, ip: '192.0.2.1', traceId: 'a'.repeat(32), isGone });
  return {
    lookUps: () => lookUps,
    counted,
    request,
    of(name: string, isGone = () => false) {
      const secret = secrets.get(name) ?? newTokenText('calendar');
      secrets.set(name, secret);
      owners.set(hashOf(secret), name);
      return request(calendarPath(secret), isGone);
    },
    /** Ends the address of a user, as a rotation or a removal does. */
    end: (name: string) => void owners.delete(hashOf(secrets.get(name) ?? '')),
  };
}

test('[ICAL2] a user has one calendar read at a time, so those of one user delay no other', async () => {
  const started: string[] = [];
  const { of } = openHandler(({ user }) => {
    started.push(user?.username ?? '');
    return user?.username === 'slow' ? new Promise(() => undefined) : Promise.resolve(page(null));
  });
  for (let count = 0; count < 15; count++) void of('slow');
  for (const name of ['ann', 'bob', 'carol']) expect(await of(name)).toMatchObject({ status: 200 });
  expect(started.filter((name) => name === 'slow')).toEqual(['slow']);
});

test('[ICAL2] further requests of a user are refused, not queued without a bound', async () => {
  const { of } = openHandler(() => new Promise(() => undefined));
  const answers = Array.from({ length: 30 }, () => of('slow'));
  const refused = await Promise.race(answers);
  expect([refused.status, refused.headers?.['Retry-After']]).toEqual([503, '1']);
});

test('[ICAL2] a calendar that cannot be read completely is refused, and one with further pages has all entries', async () => {
  const pageAfter = (call: DispatchedCall) => Number(fieldsOf(call).after ?? 0);
  const broken = openHandler(async (call) =>
    pageAfter(call) === 0 ? page('1') : { ok: false, error: 'unavailable', message: 'No worker answered in time.' },
  );
  expect(await broken.of('ann')).toMatchObject({ status: 503, body: { error: 'unavailable' } });
  // Long texts and many nodes make many pages, each with few hits. Only the deadline bounds their number.
  const whole = openHandler(async (call) => {
    const at = pageAfter(call);
    return page(at < 299 ? String(at + 1) : null, [nodeOf(at)]);
  });
  const answer = await whole.of('ann');
  expect([answer.status, entriesOf(answer)]).toEqual([200, 300]);
});

test('[ICAL2] no change between two pages hides a node or shows it twice', async () => {
  const sent: Record<string, unknown>[] = [];
  // The second page repeats the last node of the first.
  const { of } = openHandler(async (call) => {
    sent.push(fieldsOf(call));
    return fieldsOf(call).after === undefined ? page('next', [nodeOf(1), nodeOf(2)]) : page(null, [nodeOf(2)]);
  });
  expect(entriesOf(await of('ann'))).toBe(2);
  // The time of creation is the one by which a node never moves.
  expect(sent.map(({ sort, order }) => [sort, order])).toEqual([
    ['created', 'desc'],
    ['created', 'desc'],
  ]);
});

const PLANNED = { planned: { start: null, unit: 'day' } };
const BAR = { startDate: '2026-03-05T00:00:00.000Z', finishDate: '2026-03-07T00:00:00.000Z' };

/** The calls for a calendar with a plan, whose pages have these nodes, and its entries. */
async function plannedCalls(plan: ReplyMessage, pages: (at: number) => ReplyMessage, more: object = {}) {
  const calls: string[] = [];
  const { of } = openHandler(
    async (call) => {
      calls.push(call.operation.name);
      return call.operation.name === 'graph:plan' ? plan : pages(Number(fieldsOf(call).after ?? 0));
    },
    { ...PLANNED, ...more },
  );
  const answer = await of('ann');
  return { calls, status: answer.status, entries: entriesOf(answer) };
}

test('[ICAL3] conditions that exclude open nodes need no plan', async () => {
  const plan = page(null, [{ id: NODE.id, ...BAR }]);
  const { calls } = await plannedCalls(plan, () => page(null), { where: '{"status":[3]}' });
  expect(calls).toEqual(['node:find']);
  const { calls: mixed } = await plannedCalls(plan, () => page(null), { where: '{"status":[3,0]}' });
  expect(mixed).toEqual(['node:find', 'graph:plan', 'node:find']);
});

test('[ICAL3 PLAN6] a plan that adds nothing costs no second search, and cannot make the calendar fail', async () => {
  const tooLarge = { ok: false, error: 'bad_request.too_large', message: 'A plan has at most 20,000 nodes.' } as const;
  const once = { calls: ['node:find', 'graph:plan'], status: 200, entries: 1 };
  expect(await plannedCalls(tooLarge, () => page(null))).toEqual(once);
  // Without a length, a node has no bar.
  const { startDate } = BAR;
  const short = page(null, [{ id: NODE.id, startDate, finishDate: startDate }]);
  expect(await plannedCalls(short, () => page(null))).toEqual(once);
});

test('[ICAL3] a full calendar asks for no plan, and the search for bars ends with the last bar', async () => {
  const full = (at: number) =>
    page(
      String(at + 500),
      Array.from({ length: 500 }, (_, index) => nodeOf(at + index)),
    );
  const { calls, entries } = await plannedCalls(page(null, []), full);
  // The eleventh page has no room.
  expect([entries, new Set(calls)]).toEqual([5_000, new Set(['node:find'])]);
  const plan = page(null, [{ id: nodeOf(2).id, ...BAR }]);
  // Each search has pages without end, of one node each, which has no due date.
  const pages = (at: number) => (at < 4 ? page(String(at + 1), [{ ...nodeOf(at), dueDate: null }]) : page(null, []));
  const barred = await plannedCalls(plan, pages);
  expect(barred.entries).toBe(1);
  expect(barred.calls).toEqual([
    ...Array<string>(5).fill('node:find'),
    'graph:plan',
    ...Array<string>(3).fill('node:find'),
  ]);
});

/** Calendars whose reads are held until `release`. */
function heldHandler() {
  const held: (() => void)[] = [];
  let calls = 0;
  const handler = openHandler(async () => {
    calls++;
    await new Promise<void>((resolve) => held.push(resolve));
    return page(null);
  });
  const started = async (count: number) => {
    while (held.length < count) await new Promise(setImmediate);
  };
  const release = () => {
    for (const resolve of held.splice(0)) resolve();
  };
  return { ...handler, started, release, calls: () => calls };
}

test('[ICAL2] an address that ends is not answered, whether its request waits or is being read', async () => {
  const { of, end, started, release, calls } = heldHandler();
  const [first, second] = [of('ann'), of('ann')];
  await started(1);
  end('ann');
  release();
  for (const answer of [await first, await second]) {
    expect(answer).toMatchObject({ status: 404, body: { error: 'not_found' } });
    expect(answer.page).toBeUndefined();
  }
  expect(calls()).toBe(1);
});

test('[ICAL2] nothing is read for a client that has gone, and other requests of its user follow', async () => {
  const { of, started, release, calls } = heldHandler();
  let hasGone = false;
  const gone = Array.from({ length: 10 }, () => of('ann', () => hasGone));
  await started(1);
  hasGone = true;
  const last = of('ann');
  release();
  await Promise.all(gone);
  await started(1);
  release();
  expect(await last).toMatchObject({ status: 200 });
  expect(calls()).toBe(2);
});

test('[ICAL2] a client that goes ends the walk at its next page', async () => {
  let pages = 0;
  const { of } = openHandler(async () => page(String(++pages), [nodeOf(pages)]));
  // Metrics and alerts count it as no failure.
  expect(await of('ann', () => pages === 3)).toMatchObject({ observedStatus: 499 });
  expect(pages).toBe(3);
});

test('[ICAL2 LIM1] a request counts for its address, so a new one begins anew, and for its user', async () => {
  const handler = openHandler(async () => page(null));
  const [ann, again] = [await handler.of('ann'), await handler.of('ann')];
  expect([ann.status, again.status]).toEqual([200, 200]);
  await handler.of('bob');
  const names = ['calendar', 'calendar:user'];
  expect(handler.counted.map(([counted]) => counted)).toEqual([...names, ...names, ...names].map((name) => [name]));
  const [first, , second, , third] = handler.counted.map(([, caller]) => caller);
  expect(first?.calendar).toMatch(/^[0-9a-f]{64}$/);
  expect(second).toEqual(first);
  expect(third?.user).not.toBe(first?.user);
  expect(third?.calendar).not.toBe(first?.calendar);
  // No other limit counts them, whoever their users are.
  expect(demandsOf('calendar', first as Caller)).toEqual([{ limit: 'calendar', key: `calendar:${first?.calendar}` }]);
  expect(demandsOf('calendar:user', first as Caller)).toEqual([{ limit: 'calendar:user', key: `user:${first?.user}` }]);
});

test('[ICAL2 LIM4] a text that cannot be an address costs no look-up, and others are bounded', async () => {
  const handler = openHandler(async () => page(null), {}, 2);
  const wrong = [
    '/calendar/',
    '/calendar/x.ics',
    `/calendar/${newTokenText('api')}.ics`,
    `${calendarPath(newTokenText('calendar'))}x`,
    calendarPath(newTokenText('calendar')).replace('.ics', '!.ics'),
  ];
  for (const path of wrong)
    expect(await handler.request(path)).toMatchObject({ status: 404, body: { error: 'not_found' } });
  expect(handler.lookUps()).toBe(0);
  const statuses = [];
  for (let count = 0; count < 4; count++) {
    statuses.push((await handler.request(calendarPath(newTokenText('calendar')))).status);
  }
  expect([statuses, handler.lookUps()]).toEqual([[404, 404, 429, 429], 2]);
});

test('[ICAL2 GEN3] without an answer of a worker, an address is not called wrong', async () => {
  const { askWorkers } = answeredBy(async () => ({ ok: false, error: 'bad_request.unknown_event', message: 'No.' }));
  const handler = createCalendarHandler({
    askWorkers,
    deadlineMs: 1_000,
    wrongAddresses: createWrongTokens(1, 'calendars'),
    dispatch: async () => refuse('unavailable', 'No worker answered in time.'),
    limits: noLimits,
    baseOf: () => '',
    hasConsole: false,
    log: { error: () => undefined },
  });
  const received = { path: calendarPath(newTokenText('calendar')), header: () => '' };
  for (let count = 0; count < 2; count++) {
    expect(await handler.answer({ received, ip: '192.0.2.1', traceId: 'a', isGone: () => false })).toMatchObject({
      status: 503,
    });
  }
});
