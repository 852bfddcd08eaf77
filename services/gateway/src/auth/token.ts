// The token of a request, and its hash, by which workers know it. Rules: AUTH2, AUTH3.
import { hash } from 'node:crypto';
import type { IdentityMessage } from '@taskgraph/wire/bus/gateway-reads';

/** A token's user and scopes. */
export type Identity = IdentityMessage;

/** The SHA-256 of a token in hex; workers store nothing else of it. */
export function hashOf(token: string): string {
  return hash('sha256', token, 'hex');
}

/** The token of an `Authorization: Bearer TOKEN` header, or null. */
export function bearerToken(authorization: string | undefined): string | null {
  return /^bearer +(\S+) *$/i.exec(authorization ?? '')?.[1] ?? null;
}
