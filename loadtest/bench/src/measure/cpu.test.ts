import { expect, test } from 'vitest';
import { addCpu, meterCpu, ofRoles, perOperation } from './cpu.ts';

test('processor times are added by role and divided by the operations', () => {
  const sum = addCpu([{ worker: 10, neo4j: 30 }, { worker: 20 }]);
  expect(sum).toEqual({ worker: 30, neo4j: 30 });
  expect(perOperation(sum, 10)).toEqual({ worker: 3, neo4j: 3 });
});

test('a sum over an unmeasured role is NaN', () => {
  expect(ofRoles({ worker: 1, gateway: 2, nats: 3 }, ['worker', 'gateway'])).toBe(3);
  expect(ofRoles({ worker: 1 }, ['worker', 'nats'])).toBeNaN();
});

test.runIf(process.platform === 'linux')('a role without a process is left out', () => {
  const end = meterCpu({ us: [process.pid], elsewhere: [] });
  expect(Object.keys(end())).toEqual(['us']);
});
