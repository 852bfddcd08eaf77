// Runs a NATS server with JetStream on loopback, and checks a server given by URL.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writePrivate } from '../data/private-files.ts';
import { NATS_USERS, type NatsPasswords, type NatsUser } from '../data/secrets.ts';
import { LauncherError } from '../errors.ts';
import { LOOPBACK } from '../processes/ports.ts';
import { type NatsMember, natsClusterLines, natsServerName } from './nats-cluster.ts';
import { type Address, exchange, poll } from './probe.ts';

/**
 * The permissions of each user. The file takes the passwords from variables that the configuration
 * defines above it.
 */
const USERS_FILE = new URL('../../../nats/users.conf', import.meta.url);
const MAX_PAYLOAD_BYTES = 1024 ** 2;

interface NatsInfo {
  readonly version: string;
  readonly jetstream?: boolean;
}

/** The variable that holds a user's password in users.conf. */
export function natsPasswordVariable(user: NatsUser): string {
  return `NATS_${user.toUpperCase()}_PASSWORD`;
}

/** The variables with which a service logs in as this user. */
export function natsLogin(user: NatsUser, passwords: NatsPasswords): { NATS_USER: NatsUser; NATS_PASSWORD: string } {
  return { NATS_USER: user, NATS_PASSWORD: passwords[user] };
}

/** The users and passwords as a section of a server's configuration. */
export function natsUsers(passwords: NatsPasswords): string {
  const variables = NATS_USERS.map((user) => `${natsPasswordVariable(user)} = ${JSON.stringify(passwords[user])}`);
  return `${variables.join('\n')}\n${readFileSync(USERS_FILE, 'utf8')}`;
}

/**
 * Writes the server's configuration, the only file with the passwords, and returns the arguments
 * that start the server. `member` is set for a server of a cluster.
 */
export function prepareNats(dataDir: string, port: number, passwords: NatsPasswords, member?: NatsMember): string[] {
  const folder = join(dataDir, 'nats', ...(member === undefined ? [] : [natsServerName(member.index)]));
  const file = join(folder, 'nats.conf');
  const lines = [
    `listen: "${LOOPBACK}:${port}"`,
    member === undefined ? 'server_name: "taskgraph"' : natsClusterLines(member),
    `max_payload: ${MAX_PAYLOAD_BYTES}`,
    `jetstream { store_dir: ${JSON.stringify(join(folder, 'store'))}, max_memory_store: 64MB, max_file_store: 1GB }`,
    natsUsers(passwords),
  ];
  writePrivate(file, lines.join('\n'));
  return ['--config', file];
}

export async function untilNatsIsReady(address: Address, signal: AbortSignal): Promise<void> {
  await poll(async () => (await readInfo(address).catch(() => undefined))?.jetstream === true, signal);
}

/** Checks a server given by URL as far as its greeting allows without a client. */
export async function checkNats(url: string): Promise<void> {
  // The services check TLS and clusters themselves; this reads only a plain greeting.
  if (url.includes(',') || !url.startsWith('nats://')) return;
  const { hostname, port } = new URL(url);
  const address = { host: hostname, port: Number(port || 4222) };
  const info = await readInfo(address).catch((error: Error) => {
    throw new LauncherError(
      `NATS does not answer at ${hostname}:${address.port} (${error.message})`,
      'Check NATS_URL, or unset it.',
    );
  });
  if (info.jetstream !== true) {
    throw new LauncherError(
      `the NATS at ${hostname}:${address.port} runs without JetStream`,
      'Start it with --jetstream.',
    );
  }
}

/** Reads `INFO {...}`, the first line that a NATS server sends. */
async function readInfo(address: Address): Promise<NatsInfo> {
  const greeting = await exchange(address, '', (answer) => answer.includes('\r\n'));
  const match = /^INFO (\{.*)\r\n/.exec(greeting);
  if (match?.[1] === undefined) throw new Error('the server at this address is not NATS');
  return JSON.parse(match[1]) as NatsInfo;
}
