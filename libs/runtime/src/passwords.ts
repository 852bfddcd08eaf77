// Passwords as they are kept: argon2id, in the standard text form that names its own parameters. Rule: AUTH1.
import { hash, verify } from '@node-rs/argon2';

/** Lengths in UTF-16 units. The upper bound keeps a single check from being expensive. */
export const PASSWORD_LENGTH = { least: 10, most: 1_000 } as const;

/** 19 MiB and two passes: what OWASP's cheat sheet on the storage of passwords asks of argon2id, which is the library's default kind. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/** The hash of no password that anybody has: whoever is not there is checked against it, which takes as long as with a hash of their own. */
const NOBODYS_HASH =
  '$argon2id$v=19$m=19456,t=2,p=1$KteYksK3N9jOUzWHOAhXEQ$bNE5U/ULtyAzpZ7YUbF/P5/MErSTzttxfJuMHl3jtZI';

/** Hashes a password with a new salt. */
export function hashPassword(password: string): Promise<string> {
  return hash(password, COST);
}

/** Whether a password is the one of a hash; for null it takes the same time, and is false. */
export async function isPassword(passwordHash: string | null, password: string): Promise<boolean> {
  const isRight = await verify(passwordHash ?? NOBODYS_HASH, password);
  return isRight && passwordHash !== null;
}
