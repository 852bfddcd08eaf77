// Requests over a real NATS: replies, retries, long replies, deadlines and outages.
import { setTimeout as sleep } from 'node:timers/promises';
import { startNats, type TestNats } from '@taskgraph/testkit/stack/nats';
import type { CommandMessage, ReplyMessage } from '@taskgraph/wire/bus/calls';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Bus, connectBus } from '../nats/connect.ts';
import { commandSubject } from '../nats/subjects.ts';
import { compressJson } from './compressed-json.ts';
import { compressedReplyOf, parseCompressedReply } from './raw-reply.ts';
import { createRequester, type Requester } from './request.ts';
import { type RunningSubscription, serveCommands, serveReads } from './serve.ts';

const logged: string[] = [];
const note = (_fields: object, message: string) => void logged.push(message);
const log = { debug: note, info: note, warn: note, error: note };
const actor = { id: '01900000-0000-7000-8000-000000000001', username: 'ann', email: 'ann@example.org' };

let nats: TestNats;
let gateway: Bus;
let worker: Bus;
let requester: Requester;
const servings: RunningSubscription[] = [];

const open = (name: string) => connectBus({ ...nats, name, log });

function command(lifeMs: number): CommandMessage {
  const id = `01900000-0000-7000-8000-${String(Math.floor(Math.random() * 1e12)).padStart(12, '0')}`;
  return { id, event: 'node:create', payload: {}, actor, key: null, deadline: Date.now() + lifeMs, traceId: 't' };
}
const done = (body: Record<string, unknown>): ReplyMessage => ({ ok: true, body });

/** A reply that the test sends when it is time. */
function pending() {
  let answer: (reply: ReplyMessage) => void = () => undefined;
  const reply = new Promise<ReplyMessage>((resolve) => {
    answer = resolve;
  });
  return { reply, answer: (sent: ReplyMessage) => answer(sent) };
}

beforeAll(async () => {
  nats = await startNats();
  [gateway, worker] = await Promise.all([open('gateway'), open('worker')]);
  requester = createRequester(gateway);
});
afterEach(async () => {
  await Promise.all(servings.splice(0).map((serving) => serving.stop()));
});
afterAll(async () => {
  requester.stop();
  await Promise.all([gateway.close(), worker.close()]);
  await nats.remove();
});

describe('commands', () => {
  it('[AUTH2] asks before each attempt that follows a wait, and stops after a no', async () => {
    const served: string[] = [];
    let asked = 0;
    const mayContinue = async () => ++asked < 3;
    const moved: ReplyMessage = { ok: false, error: 'unavailable', message: '', details: { outcome: 'moved' } };
    servings.push(
      serveCommands(worker, 3, async ({ id }) => {
        served.push(id);
        return moved;
      }),
    );
    const message = command(10_000);
    const reply = await requester.sendCommandRaw(3, message, mayContinue);
    expect(reply).toMatchObject({ ok: false, error: 'unavailable' });
    expect([served, asked]).toEqual([[message.id, message.id, message.id], 3]);
    expect(Date.now()).toBeLessThan(message.deadline);
  });

  it('[AUTH2] a question without an answer delays neither a reply nor the end of the command', async () => {
    let attempts = 0;
    const late = pending();
    servings.push(
      serveCommands(worker, 3, async () => {
        attempts++;
        return late.reply;
      }),
    );
    const asked = pending();
    const mayContinue = async () => {
      asked.answer(done({}));
      return new Promise<boolean>(() => undefined);
    };
    const answered = requester.sendCommandRaw(3, command(20_000), mayContinue);
    await asked.reply;
    late.answer(done({ done: true }));
    expect(await answered).toMatchObject({ ok: true });
    expect(attempts).toBe(1);
    await Promise.all(servings.splice(0).map((serving) => serving.stop()));
    // Nobody serves: the attempt bounces, and the question is open at the deadline.
    const message = command(500);
    const refused = await requester.sendCommandRaw(3, message, mayContinue);
    expect(refused).toMatchObject({ ok: false, error: 'unavailable', details: { outcome: 'not_done' } });
    expect(Date.now()).toBeGreaterThanOrEqual(message.deadline - 1);
  });

  it('[AUTH2] the first attempt is published without a question', async () => {
    servings.push(serveCommands(worker, 3, async () => done({})));
    // From the first answer on, the partition is served.
    await requester.sendCommandRaw(3, command(3_000));
    const never = () => Promise.reject(new Error('nothing was to be asked'));
    expect(await requester.sendCommandRaw(3, command(3_000), never)).toEqual(done({}));
  });

  it('the handler receives the message, and the caller its answer', async () => {
    servings.push(serveCommands(worker, 3, async (message) => done({ echo: message.id })));
    const message = command(3_000);
    expect(await requester.sendCommand(3, message)).toEqual(done({ echo: message.id }));
  });

  it('waits for a partition that is not served yet', async () => {
    const answer = requester.sendCommand(4, command(3_000));
    await sleep(300);
    servings.push(serveCommands(worker, 4, async () => done({})));
    expect(await answer).toEqual(done({}));
  });

  it('answers not_done if no worker ever served the partition', async () => {
    const startedAt = Date.now();
    const reply = await requester.sendCommand(5, command(400));
    expect(reply).toMatchObject({ ok: false, error: 'unavailable', details: { outcome: 'not_done' } });
    // At its deadline, and not only at the next attempt.
    expect(Date.now() - startedAt).toBeLessThan(2_000);
  });

  it('[GEN8] answers not_done if the deadline passes before the report that the last attempt had no receiver', async () => {
    // A busy machine takes longer than half a second for 200 reports.
    const patient = createRequester(gateway, commandSubject, 60_000);
    const replies = await Promise.all(Array.from({ length: 200 }, () => patient.sendCommand(5, command(2))));
    patient.stop();
    expect(new Set(replies.map((reply) => !reply.ok && reply.details?.outcome))).toEqual(new Set(['not_done']));
  });

  it('answers unknown if a worker received the command and did not answer', async () => {
    const hanging = pending();
    servings.push(serveCommands(worker, 6, () => hanging.reply));
    const reply = await requester.sendCommand(6, command(300));
    hanging.answer(done({}));
    expect(reply).toMatchObject({ ok: false, error: 'unavailable', details: { outcome: 'unknown' } });
  });

  it('retries after 2 s with the same id, and accepts the answer to the first attempt', async () => {
    const seen: string[] = [];
    const [first, second] = [pending(), pending()];
    servings.push(
      serveCommands(worker, 7, (message) => {
        seen.push(message.id);
        if (seen.length === 1) return first.reply;
        first.answer(done({ attempt: 1 }));
        return second.reply;
      }),
    );
    const message = command(60_000);
    const reply = await requester.sendCommand(7, message);
    second.answer(done({ attempt: 2 }));
    expect(reply).toEqual(done({ attempt: 1 }));
    expect(seen).toEqual([message.id, message.id]);
  });

  it('[GEN8] does not pass on that one worker executed nothing, because another may have the same command', async () => {
    const refusal = { ok: false, error: 'unavailable', message: 'no lock', details: { outcome: 'not_done' } } as const;
    servings.push(serveCommands(worker, 14, async () => refusal));
    const reply = await requester.sendCommand(14, command(3_000));
    expect(reply).toEqual({ ...refusal, details: { outcome: 'unknown' } });
  });

  it('[GEN8] does not report a refusal while another worker may have the same command, and retries if one lost it', async () => {
    const forbidden = { ok: false, error: 'forbidden', message: 'no' } as const;
    const moved = { ...forbidden, error: 'unavailable', details: { outcome: 'moved' } } as const;
    let attempts = 0;
    // The first attempt hangs, as in a stopped process.
    servings.push(
      serveCommands(worker, 20, () => (++attempts === 1 ? sleep(4_500, done({})) : Promise.resolve(forbidden))),
    );
    const reply = await requester.sendCommand(20, command(10_000));
    expect(reply).toMatchObject({ ok: false, error: 'unavailable', details: { outcome: 'unknown' } });
    expect(attempts).toBe(2);
    let asked = 0;
    servings.push(serveCommands(worker, 21, async () => (++asked === 1 ? moved : forbidden)));
    expect(await requester.sendCommand(21, command(10_000))).toEqual(forbidden);
  });

  it('[GEN8] a refusal that arrives after the repeated attempt remains a refusal, for any answer to the repeat', async () => {
    const forbidden = { ok: false, error: 'forbidden', message: 'no' } as const;
    const idle = { ok: false, error: 'unavailable', message: 'busy', details: { outcome: 'not_done' } } as const;
    for (const isRefusedFirst of [true, false]) {
      let isRepeated: () => void = () => undefined;
      const repeated = new Promise<void>((resolve) => {
        isRepeated = resolve;
      });
      let attempts = 0;
      const serving = serveCommands(worker, 22, async () => {
        const isRepeat = ++attempts > 1;
        if (isRepeat) isRepeated();
        await repeated;
        // The other reply is already under way.
        if (isRepeat === isRefusedFirst) await new Promise((resolve) => setImmediate(resolve));
        return isRepeat ? idle : forbidden;
      });
      expect(await requester.sendCommand(22, command(10_000))).toEqual(forbidden);
      expect(attempts).toBe(2);
      await serving.stop();
    }
  });

  it('[GEN3] the outcome is unknown if a worker of another release does not report it', async () => {
    const silent = { ok: false, error: 'unavailable', message: 'no' } as const;
    servings.push(serveCommands(worker, 23, async () => silent));
    const unknown = { ...silent, details: { outcome: 'unknown' } };
    expect(await requester.sendCommand(23, command(3_000))).toEqual(unknown);
  });

  it('[GEN8] an answer too long to send reports success without its diff', async () => {
    const diff = { batchId: 'b', actor, nodes: [{ text: 'x'.repeat(65 * 1024 * 1024) }], links: [] };
    servings.push(serveCommands(worker, 15, async () => done({ diff, feeds: { 'user:1': 7 } })));
    const reply = await requester.sendCommand(15, command(10_000));
    const cut = { batchId: 'b', actor, nodes: [], links: [], truncated: true };
    expect(reply).toEqual(done({ diff: cut, feeds: { 'user:1': 7 } }));
  });

  it.each([3_600_000, -3_600_000])('enforces deadlines with clocks that differ by %i ms', async (byMs) => {
    const here: number[] = [];
    const nowMs = () => Date.now() + byMs;
    const handler = async ({ deadline }: CommandMessage) => {
      here.push(deadline - nowMs());
      return done({});
    };
    servings.push(serveCommands(worker, 16, handler, { nowMs }));
    expect(await requester.sendCommand(16, command(3_000))).toEqual(done({}));
    expect(here[0]).toBeGreaterThan(1_000);
    expect(here[0]).toBeLessThanOrEqual(3_000);
  });

  it('reports a message that is late by a clock that is ahead, as the previous release sends it', async () => {
    let late = 0;
    const nowMs = () => Date.now() + 3_600_000;
    servings.push(serveCommands(worker, 17, async () => done({}), { nowMs, onLate: () => void late++ }));
    await worker.connection.flush();
    const text = JSON.stringify(command(3_000));
    const answer = await gateway.connection.request(commandSubject(17), text, { timeout: 1_000 });
    expect(answer.json()).toMatchObject({ ok: false, error: 'unavailable', details: { outcome: 'not_done' } });
    expect(late).toBe(1);
  });

  it.each([3_600_000, -3_600_000])(
    'tolerates a clock change of %i ms: commands continue and end in time',
    async (byMs) => {
      servings.push(serveCommands(worker, 18, async () => done({})));
      expect(await requester.sendCommand(18, command(3_000))).toEqual(done({}));
      const hanging = requester.sendCommand(19, command(1_000));
      const real = Date.now;
      const clock = vi.spyOn(Date, 'now').mockImplementation(() => real() + byMs);
      try {
        expect(await requester.sendCommand(18, command(3_000))).toEqual(done({}));
        expect(await hanging).toMatchObject({ ok: false, error: 'unavailable' });
      } finally {
        clock.mockRestore();
      }
    },
  );

  it('[GEN12] does not mistake a delayed first message of a sender for another clock', async () => {
    const handled: string[] = [];
    servings.push(
      serveCommands(worker, 24, async ({ id }) => {
        handled.push(id);
        return done({});
      }),
    );
    await worker.connection.flush();
    // Sent 20 s ago and abandoned by its sender 10 s ago.
    const late = { ...command(-10_000), sentAt: Date.now() - 20_000, token: null };
    const answer = await gateway.connection.request(commandSubject(24), JSON.stringify(late), { timeout: 1_000 });
    expect(answer.json()).toMatchObject({ ok: false, error: 'unavailable', details: { outcome: 'moved' } });
    expect(handled).toEqual([]);
    expect(await requester.sendCommand(24, command(3_000))).toEqual(done({}));
  });

  it('drops a message past its deadline before the handler', async () => {
    let calls = 0;
    servings.push(
      serveCommands(worker, 8, async () => {
        calls++;
        return done({});
      }),
    );
    // Otherwise the late message may precede the subscription and prove nothing.
    await worker.connection.flush();
    const late = Buffer.from(JSON.stringify(command(-1)));
    gateway.connection.publish(commandSubject(8), late);
    expect(await requester.sendCommand(8, command(1_000))).toEqual(done({}));
    expect(calls).toBe(1);
  });

  it('hides the message of a failing handler', async () => {
    servings.push(serveCommands(worker, 9, () => Promise.reject(new Error('secret'))));
    const reply = await requester.sendCommand(9, command(1_000));
    expect(reply).toEqual({ ok: false, error: 'internal.exception', message: 'Something went wrong.' });
    expect(logged).toContain('a handler failed');
  });

  it('accepts a message of the next release with an unknown field', async () => {
    servings.push(serveCommands(worker, 12, async (message) => done({ echo: Object.keys(message) })));
    const known = command(3_000);
    const reply = await requester.sendCommand(12, { ...known, ofTheNextRelease: true } as CommandMessage);
    expect(reply).toEqual(
      done({ echo: [...Object.keys(known).slice(0, -1), 'sentAt', 'clockZero', 'token', 'traceId'] }),
    );
  });

  it('answers broken messages with bad_request', async () => {
    servings.push(serveCommands(worker, 10, async () => done({})));
    // A bare request has no retries, so the subscription must exist first.
    await worker.connection.flush();
    for (const text of ['{"id":', '{"id":"x"}']) {
      const answer = await gateway.connection.request(commandSubject(10), text, { timeout: 1_000 });
      expect(answer.json()).toMatchObject({ ok: false, error: 'bad_request' });
    }
  });

  it('[GEN3] reports an answer that cannot be parsed', async () => {
    const texts = ['{"ok":', '{"ok":false}'];
    const subscription = worker.connection.subscribe(commandSubject(13), {
      callback: (_error, message) => void message.respond(texts.shift() ?? ''),
    });
    await worker.connection.flush();
    const broken = { ok: false, error: 'internal.broken_answer', details: { outcome: 'unknown' } };
    expect(await requester.sendCommand(13, command(2_000))).toMatchObject(broken);
    expect(await requester.sendCommand(13, command(2_000))).toMatchObject(broken);
    expect(texts).toEqual([]);
    subscription.unsubscribe();
  });

  it('refuses a command that is too long for a message', async () => {
    const reply = await requester.sendCommand(3, { ...command(1_000), payload: { text: 'x'.repeat(600_000) } });
    expect(reply).toMatchObject({ ok: false, error: 'bad_request.too_large' });
  });

  it('answers accepted requests when it stops', async () => {
    const serving = serveCommands(worker, 11, () => sleep(200, done({})));
    const answer = requester.sendCommand(11, command(1_500));
    await sleep(50);
    await serving.stop();
    expect(await answer).toEqual(done({}));
    expect(await requester.sendCommand(11, command(200))).toMatchObject({ details: { outcome: 'not_done' } });
  });

  it('rejects immediately beyond 10,000 pending requests', async () => {
    const own = createRequester(gateway);
    const waiting = Array.from({ length: 10_000 }, () => own.sendCommand(12, command(60_000)));
    expect(await own.sendCommand(12, command(60_000))).toMatchObject({ details: { outcome: 'not_done' } });
    own.stop();
    expect((await Promise.all(waiting)).every((reply) => !reply.ok)).toBe(true);
  });
});

describe('reads', () => {
  const read = (lifeMs: number) => ({
    event: 'graph:get',
    payload: {},
    actor: null,
    deadline: Date.now() + lifeMs,
    traceId: 't',
  });

  it('joins many answers in parts at the same time', async () => {
    const text = 'é'.repeat(1_500_000);
    servings.push(serveReads(worker, async () => done({ text })));
    const replies = await Promise.all(Array.from({ length: 8 }, () => requester.read(read(10_000))));
    for (const reply of replies) expect(reply.ok && reply.body.text === text).toBe(true);
  });

  it("asks the partition's worker, and immediately any other if the partition has none", async () => {
    const asked: string[] = [];
    const serveAs = (name: string, partition?: number) =>
      serveReads(
        worker,
        async () => {
          asked.push(name);
          return done({});
        },
        partition === undefined ? {} : { partition },
      );
    servings.push(serveAs('any'));
    const its = serveAs('its own', 5);
    // Until the server knows the subscriptions there is no responder.
    await worker.connection.flush();
    await requester.readRaw(read(3_000), 5);
    await requester.readRaw(read(3_000), 6);
    await requester.readRaw(read(3_000));
    expect(asked).toEqual(['its own', 'any', 'any']);
    await its.stop();
    await requester.readRaw(read(3_000), 5);
    expect(asked).toEqual(['its own', 'any', 'any', 'any']);
  });

  it('[ZIP2] passes on a compressed answer as it is to a read that asks for it, and refuses it for any other', async () => {
    const page = [Buffer.from(JSON.stringify({ nodes: [{ title: 'a task' }] }))];
    const { encoded } = compressedReplyOf(await compressJson(page), 'etag');
    servings.push(serveReads(worker, async () => ({ encoded })));
    servings.push(serveCommands(worker, 14, async () => ({ encoded })));
    logged.length = 0;
    expect(await requester.readRaw({ ...read(3_000), acceptsCompressed: true })).toEqual(parseCompressedReply(encoded));
    expect(logged).toEqual([]);
    const message = 'The answer could not be read.';
    const broken = { ok: false, error: 'internal.broken_answer', message };
    expect([await requester.readRaw(read(3_000)), await requester.read(read(3_000))]).toEqual([broken, broken]);
    expect(await requester.sendCommandRaw(14, command(3_000))).toMatchObject(broken);
    expect(logged).toEqual(Array(3).fill('a worker sent an invalid reply'));
  });

  it('refuses an answer over 64 MB', async () => {
    servings.push(serveReads(worker, async () => done({ text: 'x'.repeat(65 * 1024 * 1024) })));
    expect(await requester.read(read(10_000))).toMatchObject({ ok: false, error: 'internal.too_large' });
  });

  it('[AUTH4] the handler also receives the signed deadline if the clocks differ', async () => {
    const there: unknown[] = [];
    const handler = async ({ signedDeadline }: { signedDeadline?: number }) => {
      there.push(signedDeadline);
      return done({});
    };
    servings.push(serveReads(worker, handler, { nowMs: () => Date.now() + 3_600_000 }));
    const message = read(3_000);
    expect(await requester.read(message)).toEqual(done({}));
    expect(there).toEqual([message.deadline]);
  });

  it('has no outcome without an answer', async () => {
    const reply = await requester.read(read(200));
    expect(reply).toEqual({ ok: false, error: 'unavailable', message: 'No worker answered in time.' });
  });
});

describe('outages', () => {
  it('waits during an outage of NATS, and sends again as soon as it returns', async () => {
    servings.push(serveCommands(worker, 13, async () => done({})));
    await nats.stop();
    await sleep(100);
    const waiting = requester.sendCommand(13, command(10_000));
    expect(gateway.connected()).toBe(false);
    expect(await requester.sendCommand(13, command(300))).toMatchObject({ details: { outcome: 'not_done' } });
    await nats.start();
    expect(await waiting).toEqual(done({}));
  });

  it('names the address when the credentials are wrong', async () => {
    const attempt = connectBus({ ...nats, password: 'wrong', name: 'x', log });
    await expect(attempt).rejects.toThrow(/can't connect to NATS at nats:.*127.0.0.1:[0-9]+: Authorization/i);
  });
});
