// Tickets of accounts: signed texts with an end, which somebody keeps for us and hands back. Gateways issue them, and workers look at them
// again before anything is done. Rules: AUTH1, AUTH4.
import { createHash } from 'node:crypto';
import { LONGEST_TICKET } from '@taskgraph/wire/accounts';
import { anyId } from '@taskgraph/wire/ids';
import { z } from 'zod';
import { type Secrets, signText, verifyText } from './signed-text.ts';

const digest = z.string().regex(/^[0-9a-f]{64}$/);
const proof = z.string().regex(/^[\w-]{43}$/);

/** Accounts that one device is known for, the newest. */
export const MOST_KNOWN_ACCOUNTS = 5;

const TICKETS = {
  /** Stands in a mail: whoever has it reads what comes for the e-mail, and may make the account of this registration. */
  registration: z.object({ id: anyId, email: z.string() }),
  /** Stands in a mail: whoever has it may set the user's password, as long as the present one has this mark. */
  'password-reset': z.object({ userId: anyId, email: z.string(), mark: digest }),
  /**
   * Kept by a browser that has signed in to these accounts. They are named by proofs, which nobody makes without the secret: whoever uses the
   * browser next could try e-mails against a plain digest.
   */
  device: z.object({ id: anyId, accounts: z.array(proof).max(MOST_KNOWN_ACCOUNTS) }),
} as const;

type TicketKind = keyof typeof TICKETS;
type Content<K extends TicketKind> = z.infer<(typeof TICKETS)[K]>;

/** Signs a ticket that counts until then. */
export function issueTicket<K extends TicketKind>(
  secrets: Secrets,
  kind: K,
  content: Content<K>,
  expiresMs: number,
): string {
  return signText(secrets, kind, Buffer.from(JSON.stringify({ ...content, expiresMs })));
}

/** The content of a ticket, or null where it is forged, over, or of another kind. */
export function openTicket<K extends TicketKind>(
  secrets: Secrets,
  kind: K,
  text: string,
  nowMs: number,
): Content<K> | null {
  if (text.length > LONGEST_TICKET) return null;
  const content = verifyText(secrets, kind, text);
  if (content === null) return null;
  // Signed by us, so it parses; the schema is there for tickets of an older version.
  const parsed = TICKETS[kind].extend({ expiresMs: z.number() }).safeParse(JSON.parse(content.toString('utf8')));
  return parsed.success && parsed.data.expiresMs > nowMs ? (parsed.data as unknown as Content<K>) : null;
}

/** Tells one password of a user from the next by its salt, which no two have; null where there is no password. */
export function passwordMark(salt: string | null): string {
  return createHash('sha256')
    .update(salt ?? '')
    .digest('hex');
}
