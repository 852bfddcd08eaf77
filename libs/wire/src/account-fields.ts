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

/** An e-mail address for sending mail, case-folded. */
export const reachableEmail = text(255, 3)
  .meta({ format: 'email' })
  .pipe(z.email())
  .transform((value) => value.toLowerCase());

/** Control characters, and the characters that end lines and paragraphs. */
const BEYOND_A_LINE = /[\p{Cc}\p{Zl}\p{Zp}]/u;

/** A name that other users see: one line. */
export const username = text(100, 1).refine(
  (name) => !BEYOND_A_LINE.test(name) && /\S/.test(name),
  'must be one line with a visible character',
);
