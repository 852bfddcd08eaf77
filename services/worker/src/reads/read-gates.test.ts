// How many reads are under way and wait, with reads that the test ends by hand.
import type { ActingUser } from '@taskgraph/wire/actor';
import type { ReplyMessage } from '@taskgraph/wire/bus/calls';
import { expect, test } from 'vitest';
import { createReadGates } from './read-gates.ts';

const done: ReplyMessage = { ok: true, body: {} };

function setUp(waiting = 2) {
  const clock = { ms: 0 };
  const started: string[] = [];
  const ends: (() => void)[] = [];
  let refused = 0;
  const options = { atOnce: 1, waiting, nowMs: () => clock.ms, otherWork: () => 0 };
  const gates = createReadGates({ ...options, onRefused: () => void refused++ });
  const pass = (event: string, deadline = 1_000) =>
    gates.pass({ event, deadline, actor: null, payload: {} }, () => {
      started.push(event);
      return new Promise((resolve) => ends.push(() => resolve(done)));
    });
  return { clock, started, ends, gates, pass, refused: () => refused };
}

test('beyond the bound a read is refused as unavailable, and the number of waiting reads is reported', async () => {
  const { started, ends, gates, pass, refused } = setUp(1);
  const [first, second] = [pass('graph:get'), pass('graph:get')];
  expect(gates.waiting()).toBe(1);
  expect(await pass('graph:get')).toMatchObject({ ok: false, error: 'unavailable' });
  expect([started, refused()]).toEqual([['graph:get'], 1]);
  ends[0]?.();
  expect(await first).toBe(done);
  await expect.poll(() => started.length).toBe(2);
  ends[1]?.();
  expect(await second).toBe(done);
});

test("pages of clients do not delay the gateways' own requests", async () => {
  const { started, pass, refused } = setUp(1);
  void pass('graph:get');
  void pass('changes:get');
  await pass('history:page');
  void pass('tokens:resolve');
  await expect.poll(() => started).toEqual(['graph:get', 'tokens:resolve']);
  expect(refused()).toBe(1);
});

test("contents of webhooks take turns with pages, and do not delay the gateways' own requests", async () => {
  const { started, pass } = setUp(1);
  void pass('webhook:message');
  void pass('graph:get');
  void pass('tokens:resolve');
  await expect.poll(() => started).toEqual(['webhook:message', 'tokens:resolve']);
});

test("[ADMIN3 ADMIN4] surveys of services do not delay the gateways' own requests, and are bounded", async () => {
  const { started, pass, refused } = setUp(1);
  const surveys = Array.from({ length: 8 }, () => ['account:admin:status', 'account:admin:service']).flat();
  for (const event of surveys) void pass(event);
  expect(await pass('account:admin:status')).toMatchObject({ ok: false, error: 'unavailable' });
  void pass('tokens:resolve');
  await expect.poll(() => started).toEqual([...surveys, 'tokens:resolve']);
  expect(refused()).toBe(1);
});

test('a request that waited past its deadline is not executed', async () => {
  const { clock, started, ends, pass } = setUp();
  void pass('graph:get');
  const late = pass('trash:page');
  clock.ms = 1_000;
  ends[0]?.();
  expect(await late).toMatchObject({ ok: false, error: 'unavailable' });
  expect(started).toEqual(['graph:get']);
});

test.each([
  ['', { encoded: new Uint8Array(5 * 1_048_576) }],
  // It counts as the page that its reader gets (ZIP2).
  ['compressed ', { encoded: new Uint8Array(500), plainBytes: 5 * 1_048_576 }],
])(
  'a user who received much %sdata is a heavy reader; visitors of one publication with the same total are not',
  async (_, page) => {
    const heavyOf = async (actor: ActingUser | null) => {
      const options = { atOnce: 8, waiting: 8, nowMs: () => 0, otherWork: () => 0, onRefused: () => undefined };
      const gates = createReadGates(options);
      const message = { event: 'branch:get', deadline: 1_000, actor, payload: { root: 'a token' } };
      await gates.pass(message, async () => page);
      const ends: (() => void)[] = [];
      const reads = [1, 2].map(() => gates.pass(message, () => new Promise((end) => ends.push(() => end(page)))));
      const waiting = gates.waitingHeavy();
      await expect.poll(() => ends.length).toBe(actor === null ? 2 : 1);
      ends.shift()?.();
      await expect.poll(() => ends.length).toBe(1);
      ends.shift()?.();
      await Promise.all(reads);
      return waiting;
    };
    expect(await heavyOf({ id: 'ann', email: 'ann@example.com', username: 'ann' })).toBe(1);
    expect(await heavyOf(null)).toBe(0);
  },
);
