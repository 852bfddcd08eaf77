// One fault of the game day on a real stack: a wrong action is explained, and after the right one the
// service recovers.
import { expect, test } from 'vitest';
import { playGame } from './game.ts';
import { SCENARIOS } from './scenarios.ts';

test('[GEN8] a game day with a hanging worker explains a wrong action, recovers after the right one, and loses nothing', async () => {
  const worker = SCENARIOS.filter(({ name }) => name === 'worker');
  const answers = ['readyz', 'metrics waiting_commands', 'what now', '1', '3'];
  const lines: string[] = [];
  const report = await playGame(worker, {
    operator: { answer: async () => answers.shift() ?? 'quit' },
    print: (line) => void lines.push(line),
    signal: new AbortController().signal,
  });
  expect(report).toEqual({
    losses: [],
    results: [
      {
        name: 'worker',
        wrongActions: 1,
        reactionMs: expect.any(Number),
        recoveryMs: expect.any(Number),
        defects: [],
      },
    ],
  });
  const told = lines.join('\n');
  expect(told).toContain('worker-2: no answer');
  expect(told).toMatch(/worker-1: taskgraph_waiting_commands \d/);
  expect(told).toContain('That does not help: all partitions would be without a worker');
  expect(told).toContain('runbook: docs/operations.md#taskgraphpartitionsunserved');
  expect(answers).toEqual([]);
  expect(told).toMatch(/[1-9]\d* nodes were acknowledged, 0 of them lost/);
});
