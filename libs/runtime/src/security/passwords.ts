// Passwords are stored as argon2id hashes, in the standard text form with its parameters. Rule:
// AUTH1.
//
// Gateways do the expensive hashing, and workers keep the hashes secret. A gateway receives only
// the salt, derives the key from password and salt, and signs its request with that key. Only a
// holder of the password or the stored hash has the key, and a captured request proves nothing
// else.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { hash, hashRaw } from '@node-rs/argon2';

/**
 * 19 MiB and two passes, as OWASP's password storage cheat sheet recommends for argon2id, the
 * library's default.
 */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/**
 * A hash without a password. Unknown accounts are checked against it, which takes as long as with a
 * real hash.
 */
const UNKNOWN_ACCOUNT_HASH =
  '$argon2id$v=19$m=19456,t=2,p=1$KteYksK3N9jOUzWHOAhXEQ$bNE5U/ULtyAzpZ7YUbF/P5/MErSTzttxfJuMHl3jtZI';

/** The form of a salt. It bounds the cost of a check to a hundred times the current cost. */
const SALT = /^\$argon2id\$v=19\$m=(\d{1,6}),t=(\d{1,2}),p=(\d)\$([\w+/-]{1,64})$/;

/** Hashes a password with a new salt. */
export function hashPassword(password: string): Promise<string> {
  return hash(password, COST);
}

/** The parameters of a hash: its text form up to the hash itself. */
export function saltOf(passwordHash: string): string {
  return passwordHash.slice(0, passwordHash.lastIndexOf('$'));
}

/**
 * The key of a password and a salt. A null salt takes the same time and yields a key of no account.
 * Throws on an invalid salt.
 */
export function passwordKey(salt: string | null, password: string): Promise<Buffer> {
  const match = SALT.exec(salt ?? saltOf(UNKNOWN_ACCOUNT_HASH));
  if (match === null) throw new Error('the salt of a password is not in the form of argon2id');
  const [memoryCost = 0, timeCost = 0, parallelism = 0] = match.slice(1, 4).map(Number);
  return hashRaw(password, { memoryCost, timeCost, parallelism, salt: Buffer.from(match[4] ?? '', 'base64') });
}

/** Proves that the holder of the key makes this claim and no other. */
export function proveKey(key: Buffer, claim: readonly string[]): string {
  return createHmac('sha256', key).update(JSON.stringify(claim)).digest('base64url');
}

/** Whether the proof was made with this hash's key for this claim. */
export function isProven(passwordHash: string, claim: readonly string[], proof: string): boolean {
  const key = Buffer.from(passwordHash.slice(passwordHash.lastIndexOf('$') + 1), 'base64');
  const [given, wanted] = [Buffer.from(proof), Buffer.from(proveKey(key, claim))];
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}
