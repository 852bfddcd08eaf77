// Passwords as they are kept: argon2id, in the standard text form that names its own parameters. Rule: AUTH1.
//
// Gateways check passwords, since it costs time and memory, and workers keep the hashes and give them to nobody. So a gateway is told the salt
// alone, makes the key that password and salt give, and signs with it what it asks for: only who knows the password, or the
// hash that a worker keeps, has that key, and what is heard on the way proves nothing else.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { hash, hashRaw } from '@node-rs/argon2';

/** 19 MiB and two passes: what OWASP's cheat sheet on the storage of passwords asks of argon2id, which is the library's default kind. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/** The hash of no password that anybody has: whoever is not there is checked against it, which takes as long as with a hash of their own. */
const NOBODYS_HASH =
  '$argon2id$v=19$m=19456,t=2,p=1$KteYksK3N9jOUzWHOAhXEQ$bNE5U/ULtyAzpZ7YUbF/P5/MErSTzttxfJuMHl3jtZI';

/** The form of a salt, with what a check may cost at most: a hundred times as much as now. */
const SALT = /^\$argon2id\$v=19\$m=(\d{1,6}),t=(\d{1,2}),p=(\d)\$([\w+/-]{1,64})$/;

/** Hashes a password with a new salt. */
export function hashPassword(password: string): Promise<string> {
  return hash(password, COST);
}

/** The parameters of a hash: its text form up to the hash itself. */
export function saltOf(passwordHash: string): string {
  return passwordHash.slice(0, passwordHash.lastIndexOf('$'));
}

/** The key that a password and a salt give; for null it takes the same time, and is nobody's. Throws where the salt is none of ours. */
export function passwordKey(salt: string | null, password: string): Promise<Buffer> {
  const match = SALT.exec(salt ?? saltOf(NOBODYS_HASH));
  if (match === null) throw new Error('the salt of a password is not in the form of argon2id');
  const [memoryCost = 0, timeCost = 0, parallelism = 0] = match.slice(1, 4).map(Number);
  return hashRaw(password, { memoryCost, timeCost, parallelism, salt: Buffer.from(match[4] ?? '', 'base64') });
}

/** Proves that the holder of the key asks for this and for nothing else. */
export function proveKey(key: Buffer, claim: readonly string[]): string {
  return createHmac('sha256', key).update(JSON.stringify(claim)).digest('base64url');
}

/** Whether a proof was made with the key of this hash, for this claim. */
export function isProven(passwordHash: string, claim: readonly string[], proof: string): boolean {
  const key = Buffer.from(passwordHash.slice(passwordHash.lastIndexOf('$') + 1), 'base64');
  const [given, wanted] = [Buffer.from(proof), Buffer.from(proveKey(key, claim))];
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}
