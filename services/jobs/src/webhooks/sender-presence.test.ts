import type { Log } from '@taskgraph/runtime/telemetry/log';
import { beforeEach, expect, test } from 'vitest';
import { createSenderPresence, type SenderPresence } from './sender-presence.ts';

const DUE = ['one', 'two', 'three'];
let atMs: number;
let lines: string[];
let presence: SenderPresence;
beforeEach(() => {
  [atMs, lines] = [0, []];
  const note = (_: object, text: string) => lines.push(text);
  presence = createSenderPresence({ info: note, warn: note, error: note } as unknown as Log, () => atMs);
});

test('[HOOK10] while no hooks service runs, one run at a time is a probe, less and less often', () => {
  expect([presence.admit(DUE), presence.mayBegin()]).toEqual([DUE, true]);
  // All runs in progress get the same result.
  for (let runs = 0; runs < 64; runs++) presence.note('absent');
  const probes: number[] = [];
  for (; atMs < 300_000; atMs += 500) {
    const admitted = presence.admit(DUE);
    const begun = DUE.filter(() => presence.mayBegin());
    expect(admitted.length).toBe(begun.length);
    if (begun.length > 0) probes.push(atMs / 1_000);
    for (const _ of begun) presence.note('absent');
  }
  expect(probes).toEqual([2, 6, 14, 30, 62, 122, 182, 242]);
  expect(lines).toEqual(['no hooks service answers: messages of webhooks wait for one']);
});

test('[HOOK10] when a hooks service answers, whatever the answer, all runs begin again', () => {
  for (const outcome of ['delivered', 'refused', 'unreachable', 'busy', 'late'] as const) {
    presence.note('absent');
    expect([presence.admit(DUE), presence.mayBegin()]).toEqual([[], false]);
    presence.note(outcome);
    expect([presence.admit(DUE), presence.mayBegin()]).toEqual([DUE, true]);
  }
  expect(lines).toHaveLength(10);
  presence.note('absent');
  atMs += 2_000;
  expect(presence.mayBegin()).toBe(true);
});

test('[HOOK10] a hooks service without answers counts as none, unless another one answers meanwhile', () => {
  presence.note('delivered');
  atMs += 14_999;
  presence.note('silent');
  expect([presence.admit(DUE), presence.mayBegin()]).toEqual([DUE, true]);
  atMs += 1;
  presence.note('silent');
  expect([presence.admit(DUE), presence.mayBegin()]).toEqual([[], false]);
  atMs += 2_000;
  expect([presence.admit(DUE), presence.mayBegin(), presence.mayBegin()]).toEqual([DUE.slice(0, 1), true, false]);
  presence.note('silent');
  presence.note('refused');
  expect([presence.admit(DUE), presence.mayBegin()]).toEqual([DUE, true]);
});
