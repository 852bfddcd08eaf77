// Account tickets: signed, expiring texts that clients store. Gateways issue them, and workers
// verify them before they act. Rules: AUTH1, AUTH4.
import { createHash } from 'node:crypto';
import { LONGEST_TICKET } from '@taskgraph/wire/account-fields';
import { anyId } from '@taskgraph/wire/ids';
import { z } from 'zod';
import { type Secrets, signText, verifyText } from './signed-text.ts';

const digest = z.string().regex(/^[0-9a-f]{64}$/);
const proof = z.string().regex(/^[\w-]{43}$/);

/** Maximum number of accounts in a device ticket; the oldest are dropped first. */
export const MOST_KNOWN_ACCOUNTS = 5;

const TICKETS = {
  /**
   * Sent by mail. Its holder reads mail for this address and may create the account of this
   * registration.
   */
  registration: z.object({ id: anyId, email: z.string() }),
  /**
   * Sent by mail. Its holder may set the user's password while `passwordMark` of the current one is
   * `mark`.
   */
  'password-reset': z.object({ userId: anyId, email: z.string(), mark: digest }),
  /**
   * Printed by an administration command. Its holder may sign in as the user, once: while the user's
   * sign-in link has this id, and `passwordMark` of the current password is `mark`.
   */
  'sign-in-link': z.object({ userId: anyId, id: anyId, mark: digest }),
  /**
   * Stored by a browser that signed in to these accounts. The accounts are listed as proofs, which
   * require the secret: a later user of the browser could test e-mails against plain digests.
   */
  device: z.object({ id: anyId, accounts: z.array(proof).max(MOST_KNOWN_ACCOUNTS) }),
} as const;

type TicketKind = keyof typeof TICKETS;
type Content<K extends TicketKind> = z.infer<(typeof TICKETS)[K]>;

/** Signs a ticket valid until `expiresMs`. */
export function issueTicket<K extends TicketKind>(
  secrets: Secrets,
  kind: K,
  content: Content<K>,
  expiresMs: number,
): string {
  return signText(secrets, kind, Buffer.from(JSON.stringify({ ...content, expiresMs })));
}

/** The content of a ticket, or null if it is forged, expired or of another kind. */
export function openTicket<K extends TicketKind>(
  secrets: Secrets,
  kind: K,
  text: string,
  nowMs: number,
): Content<K> | null {
  if (text.length > LONGEST_TICKET) return null;
  const content = verifyText(secrets, kind, text);
  if (content === null) return null;
  // A valid signature implies valid JSON; the schema rejects tickets of an older version.
  const parsed = TICKETS[kind].extend({ expiresMs: z.number() }).safeParse(JSON.parse(content.toString('utf8')));
  return parsed.success && parsed.data.expiresMs > nowMs ? (parsed.data as unknown as Content<K>) : null;
}

/** Distinguishes successive passwords of a user by their unique salts; null means no password. */
export function passwordMark(salt: string | null): string {
  return createHash('sha256')
    .update(salt ?? '')
    .digest('hex');
}
