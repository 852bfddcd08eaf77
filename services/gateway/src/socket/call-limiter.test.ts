import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CALLS, createCallLimiter } from './call-limiter.ts';

/** Sockets of a gateway that ask until they are refused. */
function openSockets() {
  const callLimiter = createCallLimiter();
  const calls: number[] = [];
  const ask = (socket: number): boolean => {
    const own = calls[socket] ?? 0;
    if (callLimiter.refusalOf(own) !== null) return false;
    callLimiter.begin();
    calls[socket] = own + 1;
    return true;
  };
  const answer = (socket: number) => {
    if ((calls[socket] ?? 0) === 0) return;
    callLimiter.end();
    calls[socket] = (calls[socket] as number) - 1;
  };
  /** In turn, until none gets one more. */
  const askAll = (sockets: number) => {
    const ids = Array.from({ length: sockets }, (_, id) => id);
    while (ids.map(ask).some((isDone) => isDone));
  };
  return { callLimiter, ask, answer, askAll, all: () => calls.reduce((sum, own) => sum + own, 0), calls };
}

test('[WIRE1] a socket has at most 256 concurrent calls, and that many if few others call', () => {
  const { askAll, calls, callLimiter } = openSockets();
  askAll(4);
  expect(calls).toEqual([256, 256, 256, 256]);
  expect(callLimiter.refusalOf(256)).toBe('full');
});

test('[WIRE1] if many sockets call as much as they can, each has an equal share, and so does a new socket', () => {
  const { askAll, calls, callLimiter, all } = openSockets();
  askAll(32);
  const fair = CALLS.ofAll / 33;
  expect(calls.every((own) => Math.abs(own - fair) < 2)).toBe(true);
  expect(CALLS.ofAll - all()).toBeGreaterThanOrEqual(Math.floor(fair) - 1);
  expect(callLimiter.refusalOf(Math.floor(fair) - 2)).toBeNull();
  expect(callLimiter.refusalOf(Math.ceil(fair) + 1)).toBe('busy');
});

test('[WIRE1] a socket has a minimum number of calls, whatever the load', () => {
  const { askAll, ask, calls } = openSockets();
  askAll(2_000);
  expect(Math.min(...calls)).toBe(CALLS.always);
  for (let call = 0; call < CALLS.always; call++) expect(ask(2_000)).toBe(true);
  expect(ask(2_000)).toBe(false);
});

test('[WIRE1] a socket that connects under load gets an equal share after further answers', () => {
  const { ask, answer, calls } = openSockets();
  // One after the other, each with its full share.
  for (let socket = 0; socket < 20; socket++) while (ask(socket));
  expect(Math.max(...calls) / Math.min(...calls)).toBeGreaterThan(20);
  for (let round = 0; round < 1_000; round++) {
    for (const socket of calls.keys()) answer(socket);
    for (const socket of calls.keys()) ask(socket);
    for (const socket of calls.keys()) ask(socket);
  }
  expect(Math.max(...calls) / Math.min(...calls)).toBeLessThan(1.5);
});

test("[WIRE1] the total stays within the bound plus each socket's minimum, in any order of calls and answers", () => {
  const step = fc.record({ socket: fc.nat(60), asks: fc.integer({ min: 0, max: 300 }), answers: fc.nat(300) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
      const { ask, answer, all, calls, callLimiter } = openSockets();
      for (const { socket, asks, answers } of steps) {
        for (let call = 0; call < asks && ask(socket); call++);
        for (let call = 0; call < answers; call++) answer(socket);
        expect(Math.max(0, ...calls.filter((own) => own > 0))).toBeLessThanOrEqual(CALLS.ofOne);
        expect(all()).toBeLessThanOrEqual(CALLS.ofAll + 61 * CALLS.always);
      }
      for (const socket of calls.keys()) for (let call = 0; call < CALLS.ofOne; call++) answer(socket);
      expect(callLimiter.refusalOf(CALLS.ofOne - 1)).toBeNull();
      expect(callLimiter.underWay()).toBe(0);
    }),
    { numRuns: 50 },
  );
});
