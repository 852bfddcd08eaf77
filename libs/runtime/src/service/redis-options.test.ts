import { describe, expect, it } from 'vitest';
import { type RedisSettings, readAddresses, redisOptions } from './redis-options.ts';

const said = (settings: RedisSettings) => () => redisOptions(settings);

describe('the Redis setting', () => {
  it("is an address of one server, in its client's form", () => {
    expect(redisOptions({ REDIS_URL: 'redis://u:a,b@host:1/2', REDIS_MODE: 'single' })).toEqual({
      url: 'redis://u:a,b@host:1/2',
    });
  });

  it('is several servers of a cluster, with the user and password of the first', () => {
    const options = redisOptions({
      REDIS_URL: 'redis://u:a%2Cb,c@a:1, redis://[::1],redis://u:a%2Cb,c@b:2',
      REDIS_MODE: 'cluster',
    });
    expect(options).toMatchObject({ mode: 'cluster' });
    expect(readAddresses(options)).toEqual({
      hosts: [
        { host: 'a', port: 1 },
        { host: '::1', port: 6379 },
        { host: 'b', port: 2 },
      ],
      username: 'u',
      password: 'a,b,c',
      database: 0,
      encrypted: false,
    });
  });

  it("is Sentinels, the master's name, and the Sentinels' password", () => {
    const options = redisOptions({
      REDIS_URL: 'rediss://:p@a,rediss://b/',
      REDIS_MODE: 'sentinel',
      REDIS_SENTINEL_MASTER: 'tasks',
      REDIS_SENTINEL_PASSWORD: 's',
    });
    expect(options).toMatchObject({ mode: 'sentinel', master: 'tasks', sentinelPassword: 's', tls: {} });
    expect(readAddresses({ ...options, url: 'rediss://:p@a/3,rediss://b' })).toEqual({
      hosts: [
        { host: 'a', port: 26_379 },
        { host: 'b', port: 26_379 },
      ],
      password: 'p',
      database: 3,
      encrypted: true,
    });
  });

  it.each<[RedisSettings, string]>([
    [{ REDIS_URL: 'redis://a,redis://b' }, 'REDIS_URL names several servers: set REDIS_MODE'],
    [{ REDIS_URL: 'redis://a', REDIS_MODE: 'sentinel' }, 'REDIS_SENTINEL_MASTER is needed'],
    [{ REDIS_URL: 'redis://a', REDIS_SENTINEL_MASTER: 'm' }, 'are for REDIS_MODE=sentinel alone'],
    [{ REDIS_URL: 'redis://a', REDIS_MODE: 'cluster', REDIS_SENTINEL_PASSWORD: 'x' }, 'for REDIS_MODE=sentinel alone'],
    [{ REDIS_URL: 'a:1,b:2', REDIS_MODE: 'cluster' }, 'REDIS_URL must be addresses such as redis://'],
    [{ REDIS_URL: 'redis://a:1,b:2', REDIS_MODE: 'cluster' }, 'REDIS_URL must be addresses such as redis://'],
    [{ REDIS_URL: 'redis://a,redis://', REDIS_MODE: 'cluster' }, 'REDIS_URL must be addresses such as redis://'],
    [{ REDIS_URL: 'http://a', REDIS_MODE: 'cluster' }, 'REDIS_URL must be addresses such as redis://'],
    [{ REDIS_URL: 'redis://:p@a,redis://:q@b', REDIS_MODE: 'cluster' }, 'different users or passwords'],
    [{ REDIS_URL: 'redis://a,redis://:q@b', REDIS_MODE: 'cluster' }, 'different users or passwords'],
    [{ REDIS_URL: 'redis://a/1', REDIS_MODE: 'cluster' }, 'a cluster has only the database 0'],
    [{ REDIS_URL: 'redis://a/x', REDIS_MODE: 'cluster' }, 'a path that is not the number'],
    [{ REDIS_URL: 'redis://a,rediss://b', REDIS_MODE: 'cluster' }, 'REDIS_URL has addresses with TLS and without'],
  ])('is rejected if invalid: %j', (settings, problem) => {
    expect(said(settings)).toThrow(problem);
    expect(said(settings)).toThrow('The configuration is wrong.\n- ');
  });
});
