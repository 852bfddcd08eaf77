// Requests over a real NATS: replies, retries, long replies, deadlines and outages.
import { setTimeout as sleep } from 'node:timers/promises';
import { startNats, type TestNats } from '@taskgraph/testkit/stack/nats';
import type { CommandMessage, ReplyMessage } from '@taskgraph/wire/bus/calls';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Bus, connectBus } from '../nats/connect.ts';
import { commandSubject } from '../nats/subjects.ts';
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
  it('gives the handler the message, and the caller its answer', async () => {
    servings.push(serveCommands(worker, 3, async (message) => done({ echo: message.id })));
    const message = command(3_000);
    expect(await requester.sendCommand(3, message)).toEqual(done({ echo: message.id }));
  });

  it('waits for a partition that nobody serves yet', async () => {
    const answer = requester.sendCommand(4, command(3_000));
    await sleep(300);
    servings.push(serveCommands(worker, 4, async () => done({})));
    expect(await answer).toEqual(done({}));
  });

  it('says not_done where nobody ever served', async () => {
    const startedAt = Date.now();
    const reply = await requester.sendCommand(5, command(400));
    expect(reply).toMatchObject({ ok: false, error: 'unavailable', details: { outcome: 'not_done' } });
    // At its deadline, and not only at the next attempt.
    expect(Date.now() - startedAt).toBeLessThan(2_000);
  });

  it('[GEN8] says not_done where the deadline comes before the word that nobody got the last try', async () => {
    const replies = await Promise.all(Array.from({ length: 200 }, () => requester.sendCommand(5, command(2))));
    expect(new Set(replies.map((reply) => !reply.ok && reply.details?.outcome))).toEqual(new Set(['not_done']));
  });

  it('says unknown where a worker had it and did not answer', async () => {
    servings.push(serveCommands(worker, 6, () => sleep(800, done({}))));
    const reply = await requester.sendCommand(6, command(300));
    expect(reply).toMatchObject({ ok: false, error: 'unavailable', details: { outcome: 'unknown' } });
  });

  it('tries again after 2 s with the same id, and takes the answer to the first try', async () => {
    const seen: string[] = [];
    servings.push(
      serveCommands(worker, 7, async (message) => {
        seen.push(message.id);
        if (seen.length > 1) return sleep(1_000, done({ attempt: 2 }));
        return sleep(2_400, done({ attempt: 1 }));
      }),
    );
    const message = command(5_000);
    expect(await requester.sendCommand(7, message)).toEqual(done({ attempt: 1 }));
    expect(seen).toEqual([message.id, message.id]);
  });

  it('[GEN8] passes on no worker’s word that nothing was done: another may hold the same command', async () => {
    const refusal = { ok: false, error: 'unavailable', message: 'no lock', details: { outcome: 'not_done' } } as const;
    servings.push(serveCommands(worker, 14, async () => refusal));
    const reply = await requester.sendCommand(14, command(3_000));
    expect(reply).toEqual({ ...refusal, details: { outcome: 'unknown' } });
  });

  it('[GEN8] tells no refusal while another worker may hold the same command, and tries again where one has lost it', async () => {
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

  it('[GEN8] a refusal that takes longer than the repeat stays one, whatever the repeat is told', async () => {
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

  it('[GEN3] says that an outcome is unknown where a worker of another release says nothing of it', async () => {
    const silent = { ok: false, error: 'unavailable', message: 'no' } as const;
    servings.push(serveCommands(worker, 23, async () => silent));
    const unknown = { ...silent, details: { outcome: 'unknown' } };
    expect(await requester.sendCommand(23, command(3_000))).toEqual(unknown);
  });

  it('[GEN8] tells what was done as done where the answer is too long to send, with its diff cut', async () => {
    const diff = { batchId: 'b', actor, nodes: [{ text: 'x'.repeat(65 * 1024 * 1024) }], links: [] };
    servings.push(serveCommands(worker, 15, async () => done({ diff, feeds: { 'user:1': 7 } })));
    const reply = await requester.sendCommand(15, command(10_000));
    const cut = { batchId: 'b', actor, nodes: [], links: [], truncated: true };
    expect(reply).toEqual(done({ diff: cut, feeds: { 'user:1': 7 } }));
  });

  it.each([3_600_000, -3_600_000])('keeps deadlines where the clocks differ by %i ms', async (byMs) => {
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

  it('tells of a message that came too late by a clock that is ahead, as the release before sends it', async () => {
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
    'bears that the clock is set by %i ms: commands go on, and end in time',
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

  it('[GEN12] does not take the first message of a sender, which lay about, for one by another clock', async () => {
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

  it('hides what a failing handler says', async () => {
    servings.push(serveCommands(worker, 9, () => Promise.reject(new Error('secret'))));
    const reply = await requester.sendCommand(9, command(1_000));
    expect(reply).toEqual({ ok: false, error: 'internal.exception', message: 'Something went wrong.' });
    expect(logged).toContain('a handler failed');
  });

  it('takes a message of the next release, with a field that this one does not know', async () => {
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

  it('[GEN3] tells of an answer that cannot be read', async () => {
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

  it('answers what was taken when it stops', async () => {
    const serving = serveCommands(worker, 11, () => sleep(200, done({})));
    const answer = requester.sendCommand(11, command(1_500));
    await sleep(50);
    await serving.stop();
    expect(await answer).toEqual(done({}));
    expect(await requester.sendCommand(11, command(200))).toMatchObject({ details: { outcome: 'not_done' } });
  });

  it('refuses at once past 10,000 pending', async () => {
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

  it('joins an answer in parts, many at a time', async () => {
    const text = 'é'.repeat(1_500_000);
    servings.push(serveReads(worker, async () => done({ text })));
    const replies = await Promise.all(Array.from({ length: 8 }, () => requester.read(read(10_000))));
    for (const reply of replies) expect(reply.ok && reply.body.text === text).toBe(true);
  });

  it('asks the worker of the partition, and any other at once where nobody has it', async () => {
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

  it('refuses an answer over 64 MB', async () => {
    servings.push(serveReads(worker, async () => done({ text: 'x'.repeat(65 * 1024 * 1024) })));
    expect(await requester.read(read(10_000))).toMatchObject({ ok: false, error: 'internal.too_large' });
  });

  it('[AUTH4] gives the handler the deadline as it was signed too where the clocks differ', async () => {
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

  it('has no outcome when nobody answers', async () => {
    const reply = await requester.read(read(200));
    expect(reply).toEqual({ ok: false, error: 'unavailable', message: 'No worker answered in time.' });
  });
});

describe('outages', () => {
  it('waits through an outage of NATS, and asks again as soon as it is back', async () => {
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
