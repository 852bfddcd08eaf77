// Account operations between gateways and workers: what each event carries and answers. Rules: AUTH1, AUTH2, AUTH4.
//
// They travel like reads and may be asked again when an answer gets lost. So each brings the ids of what it makes, and the same request
// twice does the same as once.
import { z } from 'zod';
import { text } from './fields.ts';
import { anyId } from './ids.ts';
import type { ReadMessage } from './messages.ts';

/** UTF-16 units of a password. The upper bound keeps a single check from being expensive. */
export const PASSWORD_LENGTH = { least: 10, most: 1_000 } as const;
/** More than any text from a mail has. */
export const LONGEST_TICKET = 2_000;

const time = z.iso.datetime();
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
/** An argon2id hash in its standard text form, and the same without the hash itself: what a password is hashed with. */
const passwordHash = text(500, 1);
const salt = text(400, 1);
/** Made with the key that password and salt give (libs/runtime/src/security/passwords.ts). */
const proof = text(100, 1);

/** An e-mail as it is compared: case-folded, which makes some texts longer. A text that is no e-mail is nobody's. */
export const anyEmail = text(255)
  .meta({ format: 'email' })
  .transform((value) => value.toLowerCase())
  .pipe(text(255));

/** An e-mail that mail can be sent to, case-folded. */
export const reachableEmail = text(255, 3)
  .meta({ format: 'email' })
  .pipe(z.email())
  .transform((value) => value.toLowerCase());

/** Characters that can't stand in one line of text: control characters, and what ends lines and paragraphs. */
const BEYOND_A_LINE = /[\p{Cc}\p{Zl}\p{Zp}]/u;

/** A name that is shown to others: one line. */
export const username = text(100, 1).refine(
  (name) => !BEYOND_A_LINE.test(name) && /\S/.test(name),
  'must be one line with a visible character',
);

/** A token that a gateway has made, without its text. */
export const keptToken = z.object({
  id: anyId,
  hash: sha256,
  prefix: z.string().max(20),
  name: text(100),
  readOnly: z.boolean(),
  expires: time.nullable(),
});

/** A token as its owner sees it (AUTH2). */
const tokenFacts = z.object({
  id: anyId,
  name: z.string(),
  prefix: z.string(),
  createdTime: z.string(),
  expires: z.string().nullable(),
  readOnly: z.boolean(),
  lastUsed: z.string().nullable(),
});

/** A session as its user sees it (AUTH4). */
const sessionFacts = tokenFacts.pick({ id: true, createdTime: true, expires: true, lastUsed: true });
/** A text from a mail (libs/runtime/src/security/tickets.ts). */
const ticket = text(LONGEST_TICKET, 1);

const user = z.object({ id: anyId, email: z.string(), username: z.string() });
const known = z.object({ ...user.shape, admin: z.boolean() });
const listed = z.object({ ...known.shape, disabled: z.boolean(), createdTime: z.string() });

/** Payload and answer of each event. Those marked so need an actor. */
export const ACCOUNT_CALLS = {
  /** The user of an e-mail, with the parameters of its password's hash; the hash itself leaves no worker. */
  'account:find': {
    payload: z.object({ email: anyEmail }),
    answer: z.object({
      account: z.object({ id: anyId, disabled: z.boolean(), salt: salt.nullable() }).nullable(),
    }),
  },
  /** The actor. */
  'account:me': { payload: z.object({}), answer: z.object({ user: known }) },
  /**
   * Opens a session; refused as `unauthorized` where the user is disabled or gone, or the proof is not of their present password. It is null
   * where a provider vouches for the user.
   */
  'account:session': {
    payload: z.object({ userId: anyId, token: keptToken, proof: proof.nullable() }),
    answer: z.object({ user: known }),
  },
  /** Ends a session of the actor. */
  'account:logout': { payload: z.object({ id: anyId, request: anyId }), answer: z.object({}) },
  /** The actor's sessions. */
  'account:sessions': { payload: z.object({}), answer: z.object({ sessions: z.array(sessionFacts) }) },
  /** Ends one session of the actor. */
  'account:session:end': { payload: z.object({ id: anyId, request: anyId }), answer: z.object({}) },
  /** Ends all sessions of the actor but one. */
  'account:sessions:end': { payload: z.object({ keep: anyId }), answer: z.object({}) },
  /**
   * Changes the actor's password, and ends all their sessions but one, and their API tokens where that is asked for. The proof is of the
   * present password.
   */
  'account:password': {
    payload: z.object({ proof, after: passwordHash, keep: anyId, endTokens: z.boolean().optional() }),
    answer: z.object({}),
  },
  /** Sets the password of whoever the mailed ticket is for, and ends all their sessions; refused as `not_found` where the ticket is over. */
  'account:reset': {
    payload: z.object({ ticket, passwordHash, endTokens: z.boolean() }),
    answer: z.object({ userId: anyId, email: z.string() }),
  },
  /** Keeps a registration until its e-mail is verified; nothing is kept where the e-mail is known. */
  'account:register': {
    payload: z.object({ id: anyId, email: reachableEmail, username, expires: time }),
    answer: z.object({ known: z.boolean() }),
  },
  /** Makes the user of a registration, which the mailed ticket names, with a password that is chosen only now. */
  'account:verify': {
    payload: z.object({ ticket, userId: anyId, passwordHash }),
    answer: z.object({ user }),
  },
  /** Finds or makes the user for whom a provider vouches. The first time, a password and sessions from before end. */
  'account:vouch': {
    payload: z.object({
      id: anyId,
      issuer: text(1_000, 1),
      subject: text(1_000, 1),
      email: reachableEmail,
      username,
      mayRegister: z.boolean(),
    }),
    answer: z.object({ user }),
  },
  /** The actor's API tokens. */
  'account:tokens': { payload: z.object({}), answer: z.object({ tokens: z.array(tokenFacts) }) },
  'account:token:add': {
    payload: z.object({ token: keptToken }),
    answer: z.object({ token: tokenFacts }),
  },
  'account:token:rotate': {
    payload: z.object({
      id: anyId,
      request: anyId,
      token: keptToken.pick({ id: true, hash: true, prefix: true }).strict(),
    }),
    answer: z.object({ token: tokenFacts }),
  },
  'account:token:revoke': { payload: z.object({ id: anyId, request: anyId }), answer: z.object({}) },
  /** All users by id, for an administrator. */
  'account:users': {
    payload: z.object({ after: z.union([anyId, z.literal('')]), limit: z.int().min(1).max(1_001) }),
    answer: z.object({ users: z.array(listed) }),
  },
  /** Disables or enables a user, for an administrator. */
  'account:disable': {
    payload: z.object({ id: anyId, disabled: z.boolean() }),
    answer: z.object({}),
  },
} as const;

/** A proof is of this session and no other, so that who hears of it can't open one of their own. */
export function sessionClaim({ userId, token }: { userId: string; token: { id: string; hash: string } }): string[] {
  return ['session', userId, token.id, token.hash];
}

/** The same for a change of the password. */
export function passwordClaim({ userId, keep, after }: { userId: string; keep: string; after: string }): string[] {
  return ['password', userId, keep, after];
}

/** The text that a gateway signs of an account operation (libs/wire/src/messages.ts). */
export function accountClaim({ event, payload, actor, deadline }: Omit<ReadMessage, 'traceId' | 'proof'>): string {
  return JSON.stringify([event, actor?.id ?? null, deadline, payload]);
}

export type AccountEvent = keyof typeof ACCOUNT_CALLS;
export type AccountPayload<E extends AccountEvent> = z.infer<(typeof ACCOUNT_CALLS)[E]['payload']>;
export type AccountAnswer<E extends AccountEvent> = z.infer<(typeof ACCOUNT_CALLS)[E]['answer']>;
