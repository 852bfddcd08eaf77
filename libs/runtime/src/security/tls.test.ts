import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { natsOptions, neo4jOptions } from '../service/backends.ts';
import { redisOptions } from '../service/redis-options.ts';
import { isEncrypted } from './tls.ts';

const folder = mkdtempSync(join(tmpdir(), 'taskgraph-tls-'));
const file = (name: string) => {
  writeFileSync(join(folder, name), name);
  return join(folder, name);
};
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const nats = (more: Record<string, string> = {}) =>
  natsOptions({ NATS_URL: 'tls://nats', NATS_USER: 'a', NATS_PASSWORD: 'b', ...more });

describe('a connection to a backend', () => {
  it.each([
    ['NATS', 'tls://a:1,tls://b:2', true],
    ['NATS', 'nats://a:1, nats://b:2', false],
    ['NATS', 'a:4222', false],
    ['REDIS', 'rediss://:x@a', true],
    ['REDIS', 'redis://a', false],
    ['NEO4J', 'neo4j+s://a', true],
    ['NEO4J', 'bolt+ssc://a', true],
    ['NEO4J', 'bolt://a', false],
  ] as const)('of %s to %s is encrypted: %j', (backend, url, expected) => {
    expect(isEncrypted(backend, { [`${backend}_URL`]: url })).toBe(expected);
  });

  it('is encrypted to all servers or to none', () => {
    expect(() => nats({ NATS_URL: 'tls://a,nats://b' })).toThrow('NATS_URL has addresses with TLS and without');
  });

  it('to NATS by an IP address needs the name of its certificate', () => {
    for (const NATS_URL of ['tls://10.0.0.5:4222', 'tls://nats,tls://[::1]:4222']) {
      expect(() => nats({ NATS_URL })).toThrow('NATS_SERVER_NAME is needed');
      expect(nats({ NATS_URL, NATS_SERVER_NAME: 'nats' }).tls).toEqual({ servername: 'nats' });
    }
  });

  it('has the contents of the files, or their paths for Neo4j, and no TLS options without TLS in its address', () => {
    expect(nats()).toMatchObject({ tls: {} });
    const NATS_CA_FILE = file('authority');
    const own = { NATS_CERTIFICATE_FILE: file('certificate'), NATS_KEY_FILE: file('key') };
    expect(nats({ NATS_CA_FILE, ...own, NATS_SERVER_NAME: 'name' }).tls).toEqual({
      ca: 'authority',
      cert: 'certificate',
      key: 'key',
      servername: 'name',
    });
    expect(nats({ NATS_URL: 'nats://nats' })).not.toHaveProperty('tls');
    expect(redisOptions({ REDIS_URL: 'redis://redis' })).toEqual({ url: 'redis://redis' });
    const neo4j = {
      NEO4J_URL: 'bolt+s://neo4j',
      NEO4J_USER: 'a',
      NEO4J_PASSWORD: 'b',
      NEO4J_CA_FILE: '/ca',
    };
    expect(neo4jOptions(neo4j).tls).toEqual({ ca: '/ca' });
  });

  it.each([
    [{ NATS_URL: 'nats://a', NATS_CA_FILE: '/ca' }, 'NATS_URL has no TLS, but NATS_CA_FILE or another'],
    [{ NATS_URL: 'nats://a', NATS_SERVER_NAME: 'a' }, 'Write tls://.'],
    [{ NATS_KEY_FILE: '/key' }, 'NATS_CERTIFICATE_FILE and NATS_KEY_FILE need each other'],
    [{ NATS_CERTIFICATE_FILE: '/certificate' }, 'need each other'],
    [{ NATS_CA_FILE: '/nowhere/secret' }, "NATS_CA_FILE can't be read (ENOENT)"],
  ])('does not count as encrypted or verified if it is not: %j', (more, message) => {
    expect(() => nats(more)).toThrow(message);
    expect(() => nats(more)).not.toThrow('secret');
  });
});
