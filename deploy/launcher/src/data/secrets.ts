// Passwords and keys of one data folder: made at its first start, and the same ever after.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { readJson, writePrivateJson } from './private-files.ts';

/** The users of deploy/nats/users.conf, one for each kind of service. */
export const NATS_USERS = ['gateway', 'worker', 'jobs', 'admin'] as const;
export type NatsUser = (typeof NATS_USERS)[number];
export type NatsPasswords = Readonly<Record<NatsUser, string>>;

export interface Secrets {
  readonly neo4jPassword: string;
  readonly natsPasswords: NatsPasswords;
  /** By which the servers of a cluster of NATS let each other in. */
  readonly natsRoutePassword: string;
  readonly redisPassword: string;
  readonly taskgraphSecret: string;
  /** The demo user's token, with the Neo4j that knows it: another database has never heard of that user. */
  readonly demoToken?: { readonly token: string; readonly database: string };
}

const PASSWORD_BYTES = 24;
const SECRET_BYTES = 32;

export function loadSecrets(dataDir: string): Secrets {
  const known = readJson<Partial<Secrets>>(secretsPath(dataDir)) ?? {};
  const secrets: Secrets = {
    neo4jPassword: random(PASSWORD_BYTES),
    natsPasswords: Object.fromEntries(NATS_USERS.map((user) => [user, random(PASSWORD_BYTES)])) as Record<
      NatsUser,
      string
    >,
    natsRoutePassword: random(PASSWORD_BYTES),
    redisPassword: random(PASSWORD_BYTES),
    taskgraphSecret: random(SECRET_BYTES),
    ...known,
  };
  saveSecrets(dataDir, secrets);
  return secrets;
}

export function saveSecrets(dataDir: string, secrets: Secrets): void {
  writePrivateJson(secretsPath(dataDir), secrets);
}

function secretsPath(dataDir: string): string {
  return join(dataDir, 'secrets.json');
}

function random(bytes: number): string {
  return randomBytes(bytes).toString('base64url');
}
