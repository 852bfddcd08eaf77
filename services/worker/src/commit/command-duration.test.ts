import { expect, test } from 'vitest';
import { createCommandDuration } from './command-duration.ts';

test('the duration is an average of recent groups, each weighted by its commands', () => {
  const duration = createCommandDuration();
  expect(duration.commandsWithin(40)).toBe(40);
  for (let group = 0; group < 20; group++) {
    duration.record({ commands: 100, tookMs: 50 });
    duration.record({ commands: 1, tookMs: 2 });
  }
  // 80 without the single commands.
  expect(duration.commandsWithin(40)).toBe(77);
  for (let group = 0; group < 20; group++) duration.record({ commands: 100, tookMs: 200 });
  expect(duration.commandsWithin(40)).toBe(20);
});

test('one slow command hardly changes the duration', () => {
  const duration = createCommandDuration();
  for (let group = 0; group < 20; group++) duration.record({ commands: 80, tookMs: 40 });
  expect(duration.commandsWithin(40)).toBe(80);
  duration.record({ commands: 1, tookMs: 3_000 });
  expect(duration.commandsWithin(40)).toBeGreaterThanOrEqual(78);
});

test('neither a slow database nor a fast one moves the duration beyond its bounds', () => {
  const duration = createCommandDuration();
  for (let group = 0; group < 100; group++) duration.record({ commands: 16, tookMs: 10_000 });
  expect(duration.commandsWithin(40)).toBe(16);
  for (let group = 0; group < 100; group++) duration.record({ commands: 16, tookMs: 0 });
  expect(duration.commandsWithin(40)).toBe(160);
});

test('a group that answered no command does not count', () => {
  const duration = createCommandDuration();
  duration.record({ commands: 0, tookMs: 500 });
  expect(duration.commandsWithin(40)).toBe(40);
});
