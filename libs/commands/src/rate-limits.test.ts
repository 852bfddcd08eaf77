// The table of limits, compared with the promised numbers.
import { socketOperations } from '@taskgraph/wire/operations/operations';
import { expect, test } from 'vitest';
import {
  LIMITS,
  type LimitName,
  limitsOf,
  limitsOfRestCall,
  limitsOfSocketCall,
  variableOf,
  weightOf,
} from './rate-limits.ts';

const rateOf = (name: LimitName) => {
  const limit = LIMITS.find((each) => each.name === name);
  return [limit?.points, limit?.seconds, limit?.subjects.join(' and ')];
};

test.each<[name: LimitName, points: number, seconds: number, subjects: string]>([
  ['rest', 2_000, 3_600, 'user'],
  ['rest:call', 300, 60, 'user'],
  ['health:minute', 120, 60, 'ip'],
  ['health:hour', 10_000, 3_600, 'ip'],
  ['files', 1_200, 60, 'ip'],
  ['socket', 3_600, 3_600, 'user'],
  ['token:create', 10, 60, 'user'],
  ['bot:create', 40, 86_400, 'user'],
  ['hook:replay', 20, 60, 'user'],
  ['admin:status', 30, 60, 'user'],
  ['calendar', 60, 3_600, 'calendar'],
  ['calendar:user', 240, 3_600, 'user'],
  ['connect', 10, 60, 'ip'],
  ['graph:get', 5, 10, 'user'],
  ['graph:walk', 80, 10, 'user'],
  ['node:claim', 100, 10, 'user'],
  ['trash:page', 5, 10, 'user'],
  ['history:page', 5, 10, 'user'],
  ['link:swap', 30, 10, 'user'],
])('[LIM1] %s: %i calls in %i seconds, by %s', (name, ...rate) => {
  expect(rateOf(name)).toEqual(rate);
});

test('[AUTH1] login and register: ten a minute, by address and by account', () => {
  for (const name of ['login', 'register'] as const) expect(rateOf(name)).toEqual([10, 60, 'ip and account']);
});

test('[LIM3] only login, registration and the creation of tokens, bots and addresses are refused while limits cannot be counted', () => {
  const closing = LIMITS.filter((limit) => 'closes' in limit).map(({ name }) => name);
  expect(closing).toEqual(['login', 'register', 'mail', 'token:create', 'bot:create']);
});

test('[LIM1] every REST call counts for the total and for its own limit', () => {
  for (const { name } of socketOperations) expect(limitsOf('rest', name)).toEqual(['rest', 'rest:call']);
  expect(limitsOf('rest', 'login')).toEqual(['rest', 'rest:call', 'login']);
  expect(limitsOf('rest', 'bot:create')).toEqual(['rest', 'rest:call', 'token:create', 'bot:create']);
  expect(limitsOf('rest', 'calendar:rotate')).toEqual(['rest', 'rest:call', 'token:create']);
  expect(limitsOf('rest', 'hook:add')).toEqual(['rest', 'rest:call', 'token:create']);
  expect(limitsOf('rest', 'admin:status')).toEqual(['rest', 'rest:call', 'admin:status']);
  expect(limitsOf('rest', 'hook:test')).toEqual(['rest', 'rest:call', 'hook:replay']);
});

test('[LIM1] every socket call counts for the total, and for its own limit if it has one', () => {
  const own = [
    'node:get',
    'node:find',
    'graph:get',
    'branch:get',
    'trash:page',
    'history:page',
    'changes:get',
    'graph:plan',
    'node:claim',
    'node:why',
    'link:swap',
    'batch:run',
  ];
  for (const { name } of socketOperations) {
    expect(limitsOf('socket', name)).toEqual(own.includes(name) ? ['socket', name] : ['socket']);
  }
});

test('[WALK1 LIM1] a page with `after` counts for walks, and no other call does', () => {
  for (const event of ['graph:get', 'branch:get']) {
    expect(limitsOfSocketCall(event, { after: 'node:1' })).toEqual(['socket', 'graph:walk']);
    expect(limitsOfSocketCall(event, { after: '' })).toEqual(['socket', 'graph:walk']);
    for (const payload of [undefined, null, 'x', {}, { after: null }, { after: 5 }, { after: {} }]) {
      expect(limitsOfSocketCall(event, payload)).toEqual(['socket', event]);
    }
  }
  for (const { name } of socketOperations.filter(({ name }) => !['graph:get', 'branch:get'].includes(name))) {
    expect(limitsOfSocketCall(name, { after: 'node:1' })).toEqual(limitsOf('socket', name));
  }
});

test('[WALK2 LIM1] a page with `after` over REST counts as one over a socket does, and not for `rest`', () => {
  for (const event of ['graph:get', 'branch:get']) {
    expect(limitsOfRestCall(event, { after: 'node:1' })).toEqual(['rest:call', 'socket', 'graph:walk']);
    for (const payload of [undefined, null, {}, { after: 5 }])
      expect(limitsOfRestCall(event, payload)).toEqual(['rest', 'rest:call']);
  }
  expect(limitsOfRestCall('node:get', { after: 'node:1' })).toEqual(['rest', 'rest:call']);
  expect(limitsOfRestCall('login', {})).toEqual(limitsOf('rest', 'login'));
});

test('[BAT7] a composite counts as one call per 25 operations or part thereof; others count as one', () => {
  const weight = (count: number) => weightOf('batch:run', { operations: Array.from({ length: count }) });
  expect([0, 1, 25, 26, 500, 100_000].map(weight)).toEqual([1, 1, 1, 2, 20, 20]);
  for (const payload of [null, 'x', {}, { operations: 'x' }]) expect(weightOf('batch:run', payload)).toBe(1);
  expect(weightOf('node:add', { operations: Array.from({ length: 500 }) })).toBe(1);
});

test('names and variables are unique', () => {
  const variables = LIMITS.map(({ name }) => variableOf(name));
  expect(new Set(variables).size).toBe(LIMITS.length);
  expect(variableOf('rest:call')).toBe('LIMIT_REST_CALL');
});
