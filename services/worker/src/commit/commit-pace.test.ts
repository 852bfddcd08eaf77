import { expect, test } from 'vitest';
import { createCommitPace } from './commit-pace.ts';

test('a pace follows recent groups, each by its number of commands', () => {
  const pace = createCommitPace();
  expect(pace.commandsWithin(40)).toBe(40);
  for (let group = 0; group < 20; group++) {
    pace.record({ commands: 100, tookMs: 50 });
    pace.record({ commands: 1, tookMs: 2 });
  }
  // 80 without the single commands.
  expect(pace.commandsWithin(40)).toBe(77);
  for (let group = 0; group < 20; group++) pace.record({ commands: 100, tookMs: 200 });
  expect(pace.commandsWithin(40)).toBe(20);
});

test('one slow command hardly changes the pace', () => {
  const pace = createCommitPace();
  for (let group = 0; group < 20; group++) pace.record({ commands: 80, tookMs: 40 });
  expect(pace.commandsWithin(40)).toBe(80);
  pace.record({ commands: 1, tookMs: 3_000 });
  expect(pace.commandsWithin(40)).toBeGreaterThanOrEqual(78);
});

test('neither a slow database nor a fast one moves the pace beyond its bounds', () => {
  const pace = createCommitPace();
  for (let group = 0; group < 100; group++) pace.record({ commands: 16, tookMs: 10_000 });
  expect(pace.commandsWithin(40)).toBe(16);
  for (let group = 0; group < 100; group++) pace.record({ commands: 16, tookMs: 0 });
  expect(pace.commandsWithin(40)).toBe(160);
});

test('a group that answered no command is no pace', () => {
  const pace = createCommitPace();
  pace.record({ commands: 0, tookMs: 500 });
  expect(pace.commandsWithin(40)).toBe(40);
});
