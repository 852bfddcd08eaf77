// Runs a persistent Redis (or Valkey) on loopback, and checks a server given by URL.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { writePrivate } from '../data/private-files.ts';
import { LauncherError } from '../errors.ts';
import { LOOPBACK } from '../processes/ports.ts';
import { repairRedis } from './after-power-cut.ts';
import { type Address, exchange, poll } from './probe.ts';

const LEAST_VERSION = [7, 0] as const;

export function redisUrl(port: number, password: string): string {
  return `redis://:${password}@${LOOPBACK}:${port}`;
}

/**
 * Writes the server's configuration, the only file with the password, repairs the files after a
 * power cut, and returns the arguments that start the server.
 */
export function prepareRedis(dataDir: string, port: number, password: string): string[] {
  const folder = join(dataDir, 'redis');
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'redis.conf');
  const lines = [
    `bind ${LOOPBACK}`,
    `port ${port}`,
    `dir ${JSON.stringify(folder)}`,
    `requirepass ${password}`,
    'appendonly yes',
    // The append-only file is the source of truth; snapshots would only use disk space.
    'save ""',
    'daemonize no',
    'maxmemory-policy noeviction',
  ];
  writePrivate(file, `${lines.join('\n')}\n`);
  repairRedis(folder);
  return [file];
}

export async function untilRedisIsReady(url: string, signal: AbortSignal): Promise<void> {
  await poll(async () => (await readInfo(url).catch(() => '')).includes('redis_version:'), signal);
}

/** Checks that a Redis given by URL answers, accepts the login and is recent enough. */
export async function checkRedis(url: string): Promise<void> {
  // The services check TLS and several servers themselves.
  if (!url.startsWith('redis://') || url.includes('redis://', 1)) return;
  const { hostname, port } = new URL(url);
  const where = `${hostname}:${port || 6379}`;
  const info = await readInfo(url).catch((error: Error) => {
    throw new LauncherError(`Redis does not answer at ${where} (${error.message})`, 'Check REDIS_URL, or unset it.');
  });
  const refusal = /^-(.*)$/m.exec(info)?.[1]?.trim();
  // Backtracks: digits follow a fixed name that Redis prints once.
  const version = /redis_version:(\d+)\.(\d+)\S*/.exec(info);
  if (version === null) {
    throw new LauncherError(`Redis at ${where} refuses: ${refusal}`, 'Put its user and password into REDIS_URL.');
  }
  const [major, minor] = [Number(version[1]), Number(version[2])];
  if (major > LEAST_VERSION[0] || (major === LEAST_VERSION[0] && minor >= LEAST_VERSION[1])) return;
  throw new LauncherError(
    `the Redis at ${where} is ${version[0].slice('redis_version:'.length)}, and ${LEAST_VERSION.join('.')} is the oldest that works`,
    'Upgrade it, or unset REDIS_URL.',
  );
}

async function readInfo(url: string): Promise<string> {
  const { hostname, port, username, password } = new URL(url);
  const address: Address = { host: hostname, port: Number(port || 6379) };
  const names = [username, password].filter((part) => part !== '').map(decodeURIComponent);
  const login = names.length === 0 ? '' : redisCommand('AUTH', ...names);
  // Backtracks: Redis' INFO answer has a few hundred characters.
  const isComplete = (answer: string) => /redis_version:.*\r\n[\s\S]*\r\n$/.test(answer) || /^-.*\r\n$/m.test(answer);
  return exchange(address, login + redisCommand('INFO', 'server'), isComplete);
}

/** The wire form that accepts any text, including passwords with blanks. */
export function redisCommand(...parts: string[]): string {
  return `*${parts.length}\r\n${parts.map((part) => `$${Buffer.byteLength(part)}\r\n${part}\r\n`).join('')}`;
}
