// Passwords and keys of one data folder, generated at its first start and then constant.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { readJson, writePrivateJson } from './private-files.ts';

/** The users of deploy/nats/users.conf, one for each kind of service. */
export const NATS_USERS = ['gateway', 'worker', 'jobs', 'hooks', 'admin'] as const;
export type NatsUser = (typeof NATS_USERS)[number];
export type NatsPasswords = Readonly<Record<NatsUser, string>>;

export interface Secrets {
  readonly neo4jPassword: string;
  readonly natsPasswords: NatsPasswords;
  /** The password between the servers of a NATS cluster. */
  readonly natsRoutePassword: string;
  readonly redisPassword: string;
  readonly taskgraphSecret: string;
  /**
   * The demo user's token and the database that contains it; other databases do not contain that
   * user.
   */
  readonly demoToken?: { readonly token: string; readonly database: string };
}

const PASSWORD_BYTES = 24;
const SECRET_BYTES = 32;

export function loadSecrets(dataDir: string): Secrets {
  const known = readJson<Partial<Secrets>>(secretsPath(dataDir)) ?? {};
  const secrets: Secrets = {
    neo4jPassword: random(PASSWORD_BYTES),
    natsRoutePassword: random(PASSWORD_BYTES),
    redisPassword: random(PASSWORD_BYTES),
    taskgraphSecret: random(SECRET_BYTES),
    ...known,
    // A data folder of an earlier release lacks the users that came later.
    natsPasswords: { ...randomPasswords(), ...known.natsPasswords },
  };
  saveSecrets(dataDir, secrets);
  return secrets;
}

function randomPasswords(): NatsPasswords {
  return Object.fromEntries(NATS_USERS.map((user) => [user, random(PASSWORD_BYTES)])) as Record<NatsUser, string>;
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
