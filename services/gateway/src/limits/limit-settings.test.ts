import { readConfig } from '@taskgraph/runtime/service/config';
import { expect, test } from 'vitest';
import { limitSettings, ratesOf, refuseUnlimited } from './limit-settings.ts';

test('[LIM1] every limit has its own variable, and by default the number of the table', () => {
  const config = readConfig(limitSettings, { LIMIT_GRAPH_GET: '7/20', LIMIT_REST: '' });
  const rates = ratesOf(config);
  expect(rates['graph:get']).toEqual({ points: 7, seconds: 20 });
  expect([rates.rest, rates['health:hour']]).toEqual([
    { points: 2_000, seconds: 3_600 },
    { points: 10_000, seconds: 3_600 },
  ]);
});

test.each(['5', '5/', '0/10', '5/0', '-5/10', '5/10s', '5/86401', '2000000000/1'])(
  '%s is not a valid limit',
  (text) => {
    expect(() => readConfig(limitSettings, { LIMIT_SOCKET: text })).toThrow('LIMIT_SOCKET is not valid');
  },
);

test('limits cannot be off in production', () => {
  const check = (limits: string, environment: string) => () => refuseUnlimited({ limits, environment });
  expect(check('off', 'production')).toThrow('NODE_ENV=production');
  for (const [limits, environment] of [
    ['on', 'production'],
    ['off', 'test'],
    ['off', ''],
  ] as const) {
    expect(check(limits, environment)).not.toThrow();
  }
});
