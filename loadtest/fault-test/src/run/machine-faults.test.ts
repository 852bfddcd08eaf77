// The generator of machine faults, and the table of faults that this machine does not support.

import { randomFrom } from '@taskgraph/testkit/random';
import { expect, test } from 'vitest';
import { drawMachineFaults, machineKindOf } from './machine-faults.ts';
import { report } from './report.ts';

const seededFaults = (names: readonly string[], count: number) => {
  const faults = drawMachineFaults(randomFrom(7), names);
  return Array.from({ length: count }, () => faults.next().value);
};

test('exactly the named faults are drawn', () => {
  expect(new Set(seededFaults(['full neo4j'], 20).map((fault) => `${fault?.kind} ${fault?.target}`))).toEqual(
    new Set(['full neo4j']),
  );
  const all = seededFaults(['full', 'jump worker', 'power'], 150);
  expect(new Set(all.map((fault) => `${fault?.kind} ${fault?.target.replace(/-\d$/, '')}`))).toEqual(
    new Set(['full neo4j', 'full nats', 'full redis', 'jump worker', 'power everything']),
  );
  const jumps = all.flatMap((fault) => (fault?.kind === 'jump' ? [Math.sign(fault.aheadMs)] : []));
  expect(new Set(jumps)).toEqual(new Set([1, 0, -1]));
});

test('without names no fault is drawn', () => {
  expect(seededFaults([], 1)).toEqual([undefined]);
  expect(['', 'kill worker', 'fullness', 'jump gateway'].map(machineKindOf)).toEqual([
    undefined,
    undefined,
    undefined,
    'jump',
  ]);
});

test('the table lists the unsupported faults', () => {
  const clock = { epochMs: 0, storedMs: 0, isSet: false };
  const history = { clock, commands: [], claims: [], reads: [], connections: [], replicas: [], webhooks: [] };
  const outcome = { injectedFaults: [], history, stored: { batches: [], entries: [] } as never, anomalies: [] };
  expect(report(outcome, new Map([['full', 'nobody may']]))).toContain('| full | 0 | left out: nobody may |');
  expect(report(outcome)).not.toContain('left out');
});
