// The fields of account operations that clients send (AUTH1, AUTH4, ACL4).
import { z } from 'zod';
import { text } from './fields.ts';

/** UTF-16 units of a password. The upper bound limits the cost of one check. */
export const PASSWORD_LENGTH = { least: 10, most: 1_000 } as const;
/** More than the text of any mailed ticket has (libs/runtime/src/security/tickets.ts). */
export const LONGEST_TICKET = 2_000;

/**
 * An e-mail in its compared form: case-folded, which lengthens some texts. It may be an invalid
 * address, which no user has.
 */
export const anyEmail = text(255)
  .meta({ format: 'email' })
  .transform((value) => value.toLowerCase())
  .pipe(text(255));

/** The domain of the addresses of bots, which receive no mail and cannot register (BOT1). */
const BOT_DOMAIN = 'bots.invalid';

/** An e-mail address for sending mail, case-folded. No bot has one. */
export const reachableEmail = text(255, 3)
  .meta({ format: 'email' })
  .pipe(z.email().refine((email) => !isBotAddress(email), 'must not be the address of a bot'))
  .transform((value) => value.toLowerCase());

const LONGEST_BOT_NAME = 40;

/**
 * The address of a bot, for grants: its name in plain letters, and the random part of its id, so
 * that nobody knows it before the bot exists.
 */
export function botAddress({ id, name }: { readonly id: string; readonly name: string }): string {
  const plain = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, LONGEST_BOT_NAME)
    .replace(/^-|-$/g, '');
  return `${plain || 'bot'}-${id.slice(-12)}@${BOT_DOMAIN}`;
}

/** Whether an address can only belong to a bot. */
export function isBotAddress(email: string): boolean {
  return email.toLowerCase().endsWith(`@${BOT_DOMAIN}`);
}

/** Control characters, and the characters that end lines and paragraphs. */
const BEYOND_A_LINE = /[\p{Cc}\p{Zl}\p{Zp}]/u;

/** A name that other users see: one line. */
export const username = text(100, 1).refine(
  (name) => !BEYOND_A_LINE.test(name) && /\S/.test(name),
  'must be one line with a visible character',
);

/** UTF-16 units of the name of a calendar, and of its conditions as JSON (ICAL1). */
export const CALENDAR_NAME_LENGTH = 100;
export const CALENDAR_WHERE_LENGTH = 10_000;
/** The entries of a calendar: events on due dates, or tasks. */
export const CALENDAR_ENTRIES = ['event', 'todo'] as const;
