// The demands and verdicts of calls, without counting.
import { describe, expect, test } from 'vitest';
import { demandsOf, verdictOf } from './limits.ts';

const ip = '203.0.113.5';

describe('a call counts', () => {
  test('[LIM1] for its user, and without one for its address', () => {
    expect(demandsOf('rest', { ip, user: 'ann' })).toEqual([{ limit: 'rest', key: 'user:ann' }]);
    expect(demandsOf('rest', { ip, user: null })).toEqual([{ limit: 'rest', key: `ip:${ip}` }]);
    expect(demandsOf('graph:get', { ip })).toEqual([{ limit: 'graph:get', key: `ip:${ip}` }]);
  });

  test('[BAT7] several times for the common limit, and once for its own', () => {
    const caller = { ip, user: 'ann', call: 'batch:run', weight: 20 };
    expect(demandsOf('rest', caller)).toEqual([{ limit: 'rest', key: 'user:ann', weight: 20 }]);
    expect(demandsOf('rest:call', caller)).toEqual([{ limit: 'rest:call', key: 'user:ann:batch:run' }]);
    expect(demandsOf('batch:run', caller)).toEqual([{ limit: 'batch:run', key: 'user:ann' }]);
  });

  test('[LIM1] for its address, with any user, if the limit counts addresses', () => {
    for (const name of ['connect', 'health:minute', 'health:hour'] as const) {
      expect(demandsOf(name, { ip, user: 'ann' })).toEqual([{ limit: name, key: `ip:${ip}` }]);
    }
  });

  test('[LIM1] separately, if each call has its own limit', () => {
    expect(demandsOf('rest:call', { ip, user: 'ann', call: 'link:add' })).toEqual([
      { limit: 'rest:call', key: 'user:ann:link:add' },
    ]);
  });

  test('[AUTH1] for address and account of a login, which is identified by a hash in any spelling', () => {
    const [byAddress, byAccount, ...more] = demandsOf('login', { ip, account: 'ann@example.com' });
    expect([byAddress?.key, more]).toEqual([`ip:${ip}`, []]);
    expect(byAccount?.key).toMatch(/^account:[0-9a-f]{64}$/);
    expect(demandsOf('login', { ip, account: ' Ann@Example.com' })[1]).toEqual(byAccount);
    expect(demandsOf('login', { ip })).toHaveLength(1);
  });
});

describe('the reported limit', () => {
  test('[LIM2] is the one with the fewest remaining calls', () => {
    const { refusal, headers } = verdictOf([
      { limit: 'rest', points: 2_000, used: 1_999, resetMs: 1_500 },
      { limit: 'rest:call', points: 300, used: 5, resetMs: 60_000 },
    ]);
    expect(refusal).toBeNull();
    expect(headers).toEqual({ 'RateLimit-Limit': '2000', 'RateLimit-Remaining': '1', 'RateLimit-Reset': '2' });
  });

  test('[LIM2] is the exceeded one that lasts longest, with the time of the next attempt', () => {
    const { refusal, headers } = verdictOf([
      { limit: 'graph:get', points: 5, used: 6, resetMs: 10 },
      { limit: 'trash:page', points: 5, used: 5, resetMs: 90_000 },
      { limit: 'socket', points: 3_600, used: 3_700, resetMs: 12_345 },
    ]);
    expect(refusal).toMatchObject({ code: 'rate_limited', details: { limit: 'socket', retryAfterMs: 12_345 } });
    expect(headers).toEqual({
      'RateLimit-Limit': '3600',
      'RateLimit-Remaining': '0',
      'RateLimit-Reset': '13',
      'Retry-After': '13',
    });
  });

  test('[LIM2] does not reveal the attempts of others on an account, until that limit refuses', () => {
    const own = { limit: 'login', points: 10, used: 1, resetMs: 60_000 } as const;
    const ofAccount = (used: number) => ({ ...own, used });
    const told = verdictOf([own, ofAccount(10)], [own]);
    expect(told).toEqual(verdictOf([own, ofAccount(1)], [own]));
    expect(told.headers).toMatchObject({ 'RateLimit-Remaining': '9' });
    expect(verdictOf([own, ofAccount(11)], [own]).refusal).toMatchObject({ code: 'rate_limited' });
    expect(demandsOf('login', { ip, account: 'ann@example.com' }).map((demand) => demand.ofAccount)).toEqual([
      undefined,
      true,
    ]);
  });

  test('[LIM1] accepts the last call of a limit, and refuses the next', () => {
    const at = (used: number) => verdictOf([{ limit: 'connect', points: 10, used, resetMs: 1 }]).refusal?.code;
    expect([at(10), at(11)]).toEqual([undefined, 'rate_limited']);
  });
});
