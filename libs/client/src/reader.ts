// Identifies the reader of a replica, and the owner of a stored graph or a queued command. The user
// id is known once the service has sent it; until then only equal credentials prove the same
// reader. Rules: GEN8, ACL7.
import type { Credentials } from './socket.ts';
import { sha256 } from './values/sha256.ts';

/** A reader, as far as known. Null means unknown; for `user` also that there is no account. */
export interface Reader {
  /** The hash of the token or public token. */
  readonly credentials: string | null;
  readonly user: string | null;
}

/**
 * A hash that identifies credentials. Null if the platform has no SHA-256, as on a page without
 * HTTPS. Also null for a browser's session, which may be another user's by now, unless `trusted`
 * names the service whose last user is taken for the present one.
 */
export async function credentialsHash(
  { token, publicToken, session }: Credentials,
  trusted: string | null = null,
): Promise<string | null> {
  if (session === true) return trusted === null ? null : `session ${trusted}`;
  if ((crypto as Partial<typeof crypto>).subtle === undefined) return null;
  const text = token === undefined ? `public ${publicToken}` : `token ${token}`;
  return sha256(new TextEncoder().encode(text));
}

/** Whether the two are certainly the same reader, also by two tokens of one user. */
export function isSameReader(one: Reader | undefined, other: Reader): boolean {
  if (one === undefined) return false;
  if (one.user !== null && other.user !== null) return one.user === other.user;
  return one.credentials !== null && one.credentials === other.credentials;
}
