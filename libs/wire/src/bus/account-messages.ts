// Account operations between gateways and workers: the payload and answer of each event. Rules: AUTH1, AUTH2, AUTH4.
//
// They travel like reads, and a gateway may repeat one whose answer is lost. A payload therefore
// contains the ids of new entities, and a repetition has the effect of one request.
import { z } from 'zod';
import {
  anyEmail,
  CALENDAR_ENTRIES,
  CALENDAR_NAME_LENGTH,
  CALENDAR_WHERE_LENGTH,
  LONGEST_TICKET,
  reachableEmail,
  username,
} from '../account-fields.ts';
import { PLAN_UNITS } from '../codes.ts';
import { text } from '../fields.ts';
import { anyId } from '../ids.ts';
import { SCOPES } from '../scopes.ts';
import { ADMIN_CALLS } from './admin-calls.ts';
import { callerFields } from './caller-fields.ts';
import type { ReadMessage } from './calls.ts';
import { IMPORT_CALLS } from './import-calls.ts';
import { WEBHOOK_CALLS } from './webhook-calls.ts';

const time = z.iso.datetime();
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
/** An argon2id hash in its standard text form. */
const passwordHash = text(500, 1);
/** The parameters of such a hash, without the hash itself. */
const salt = text(400, 1);
/** Signed with the key that password and salt give (libs/runtime/src/security/passwords.ts). */
const proof = text(100, 1);

/** A token that a gateway created, without its text. */
export const tokenRecord = z.object({
  id: anyId,
  hash: sha256,
  prefix: z.string().max(20),
  name: text(100),
  readOnly: z.boolean(),
  expires: time.nullable(),
});

/**
 * An API token with scopes. It lacks `readOnly`, so that a worker of the previous release, which
 * would ignore the scopes, refuses it.
 */
const scopedTokenRecord = tokenRecord.omit({ readOnly: true }).extend({ scopes: z.array(z.enum(SCOPES)).max(50) });

/** A token as its owner sees it (AUTH2). */
const tokenView = z.object({
  id: anyId,
  name: z.string(),
  prefix: z.string(),
  createdTime: z.string(),
  expires: z.string().nullable(),
  readOnly: z.boolean(),
  /** Absent for a token with all scopes, and for a read-only one. */
  scopes: z.array(z.string()).optional(),
  lastUsed: z.string().nullable(),
});

/** Replaces a token by a new one. */
const tokenRotation = z.object({
  id: anyId,
  request: anyId,
  token: tokenRecord.pick({ id: true, hash: true, prefix: true }).strict(),
  caller: callerFields.caller,
});

/** A bot as its maintainer sees it (BOT1). */
const botView = z.object({ id: anyId, name: z.string(), email: z.string(), createdTime: z.string() });

/** A calendar as its user defines it (ICAL1). */
const calendarDefinition = z.object({
  name: text(CALENDAR_NAME_LENGTH, 1),
  root: anyId.nullable(),
  /** The conditions as JSON. */
  where: text(CALENDAR_WHERE_LENGTH).nullable(),
  as: z.enum(CALENDAR_ENTRIES),
  planned: z.object({ start: time.nullable(), unit: z.enum(PLAN_UNITS) }).nullable(),
});

/** A calendar as its user sees it. */
export const calendarView = calendarDefinition.extend({
  id: anyId,
  createdTime: z.string(),
  lastUsed: z.string().nullable(),
});
export type CalendarView = z.infer<typeof calendarView>;

/** A session as its user sees it (AUTH4). */
const sessionView = tokenView.pick({ id: true, createdTime: true, expires: true, lastUsed: true });
/** The text of a mailed ticket (libs/runtime/src/security/tickets.ts). */
const ticket = text(LONGEST_TICKET, 1);

const user = z.object({ id: anyId, email: z.string(), username: z.string() });
const ownAccount = z.object({ ...user.shape, admin: z.boolean() });

/** Payload and answer of each event. An event whose comment names the actor requires one. */
export const ACCOUNT_MESSAGES = {
  /** The user of an e-mail, with the parameters of the password's hash. The hash itself never leaves a worker. */
  'account:find': {
    payload: z.object({ email: anyEmail }),
    answer: z.object({
      account: z.object({ id: anyId, disabled: z.boolean(), salt: salt.nullable() }).nullable(),
    }),
  },
  /** The actor. */
  'account:me': { payload: z.object({}), answer: z.object({ user: ownAccount }) },
  /**
   * Creates a session. It is refused as `unauthorized` if the user is disabled or deleted, or if the proof does not fit
   * the present password. The proof is null if a provider authenticated the user.
   */
  'account:session': {
    payload: z.object({ userId: anyId, token: tokenRecord, proof: proof.nullable() }),
    answer: z.object({ user: ownAccount }),
  },
  /** Creates a session by the ticket of a sign-in link. A used or ended link is refused as `not_found`. */
  'account:link': {
    payload: z.object({ ticket, token: tokenRecord }),
    answer: z.object({ user: ownAccount }),
  },
  /** Ends a session of the actor. */
  'account:logout': { payload: z.object({ id: anyId, request: anyId }), answer: z.object({}) },
  /** The actor's sessions. */
  'account:sessions': { payload: z.object({}), answer: z.object({ sessions: z.array(sessionView) }) },
  /** Ends one session of the actor. */
  'account:session:end': { payload: z.object({ id: anyId, request: anyId }), answer: z.object({}) },
  /** Ends all sessions of the actor except `keep`. */
  'account:sessions:end': { payload: z.object({ keep: anyId, ...callerFields }), answer: z.object({}) },
  /**
   * Changes the actor's password and ends all their sessions except `keep`; with `endTokens`, their API tokens and
   * calendars too. The proof is of the present password.
   */
  'account:password': {
    payload: z.object({
      proof,
      after: passwordHash,
      keep: anyId,
      endTokens: z.boolean().optional(),
      caller: callerFields.caller,
    }),
    answer: z.object({}),
  },
  /** Sets the password of the mailed ticket's user and ends all their sessions. An ended ticket is refused as `not_found`. */
  'account:reset': {
    payload: z.object({ ticket, passwordHash, endTokens: z.boolean() }),
    answer: z.object({ userId: anyId, email: z.string() }),
  },
  /** Stores a registration until its e-mail is verified. It stores nothing if the e-mail has an account. */
  'account:register': {
    payload: z.object({ id: anyId, email: reachableEmail, username, expires: time }),
    answer: z.object({ known: z.boolean() }),
  },
  /** Creates the user of the mailed ticket's registration, with the password that they now choose. */
  'account:verify': {
    payload: z.object({ ticket, userId: anyId, passwordHash }),
    answer: z.object({ user }),
  },
  /** Finds or creates the user whom a provider authenticated. The first time, an existing password and sessions end. */
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
  'account:tokens': { payload: z.object({}), answer: z.object({ tokens: z.array(tokenView) }) },
  'account:token:add': {
    payload: z.object({ token: z.union([scopedTokenRecord, tokenRecord]), caller: callerFields.caller }),
    answer: z.object({ token: tokenView }),
  },
  'account:token:rotate': {
    payload: tokenRotation,
    answer: z.object({ token: tokenView }),
  },
  'account:token:revoke': { payload: z.object({ id: anyId, request: anyId }), answer: z.object({}) },
  /** The actor's bots, oldest first. */
  'account:bots': { payload: z.object({}), answer: z.object({ bots: z.array(botView) }) },
  /** Creates a bot of the actor. */
  'account:bot:add': {
    payload: z.object({ id: anyId, name: username, caller: callerFields.caller }),
    answer: z.object({ bot: botView }),
  },
  /** Removes a bot of the actor and ends its tokens. */
  'account:bot:remove': { payload: z.object({ id: anyId }), answer: z.object({}) },
  /** The API tokens of a bot of the actor, and their changes, as for the actor's own. */
  'account:bot:tokens': { payload: z.object({ bot: anyId }), answer: z.object({ tokens: z.array(tokenView) }) },
  'account:bot:token:add': {
    payload: z.object({
      bot: anyId,
      token: z.union([scopedTokenRecord, tokenRecord]),
      caller: callerFields.caller,
    }),
    answer: z.object({ token: tokenView }),
  },
  'account:bot:token:rotate': {
    payload: z.object({ bot: anyId, ...tokenRotation.shape }),
    answer: z.object({ token: tokenView }),
  },
  'account:bot:token:revoke': {
    payload: z.object({ bot: anyId, id: anyId, request: anyId }),
    answer: z.object({}),
  },
  /** The actor's calendars, oldest first. */
  'account:calendars': { payload: z.object({}), answer: z.object({ calendars: z.array(calendarView) }) },
  /** Creates a calendar of the actor, by this session. `hash` is that of the secret in its address. */
  'account:calendar:add': {
    payload: calendarDefinition.extend({ id: anyId, hash: sha256, session: anyId }),
    answer: z.object({ calendar: calendarView }),
  },
  /** Gives a calendar of the actor another address. */
  'account:calendar:rotate': {
    payload: z.object({ id: anyId, hash: sha256, ...callerFields }),
    answer: z.object({ calendar: calendarView }),
  },
  'account:calendar:remove': { payload: z.object({ id: anyId, request: anyId }), answer: z.object({}) },
  ...WEBHOOK_CALLS,
  ...IMPORT_CALLS,
  ...ADMIN_CALLS,
} as const;

/** Binds a proof to one session, so that an observer of the proof cannot create another session with it. */
export function sessionClaim({ userId, token }: { userId: string; token: { id: string; hash: string } }): string[] {
  return ['session', userId, token.id, token.hash];
}

/** Binds a proof to one change of the password. */
export function passwordClaim({ userId, keep, after }: { userId: string; keep: string; after: string }): string[] {
  return ['password', userId, keep, after];
}

/** The text that a gateway signs for the `proof` of an account operation. */
export function accountClaim({ event, payload, actor, deadline }: Omit<ReadMessage, 'traceId' | 'proof'>): string {
  return JSON.stringify([event, actor?.id ?? null, deadline, payload]);
}

export type AccountEvent = keyof typeof ACCOUNT_MESSAGES;
export type AccountPayload<E extends AccountEvent> = z.infer<(typeof ACCOUNT_MESSAGES)[E]['payload']>;
export type AccountAnswer<E extends AccountEvent> = z.infer<(typeof ACCOUNT_MESSAGES)[E]['answer']>;
