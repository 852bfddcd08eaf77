// The texts in the reader's language, and those of refusals.
import { dueText, TaskgraphError } from '@taskgraph/client';
import { isRightToLeft, translated } from '../language.ts';
import { en } from './en.ts';
import { markEnglish } from './isolated.ts';

export const messages = translated('main', en);

/** A failure in words. */
export function refusalText(error: unknown): string {
  if (!(error instanceof TaskgraphError)) return englishText(String(error));
  return errorCodeText(error.code, error.message.slice(error.code.length + 2));
}

/** The text of an error code; without one, the message of the service (CON44). */
export function errorCodeText(code: string, message: string): string {
  return textOfCode(messages.refusals, code) ?? englishText(message);
}

/** A code such as `bad_request.invalid_title` has its own text or that of its family. */
export function textOfCode(refusals: Readonly<Record<string, string>>, code: string): string | undefined {
  return refusals[code] ?? refusals[code.replace(/(\.(?:missing|invalid)_).*/, '$1')];
}

/** A text in English of the service, the browser or a reader of files. */
export function englishText(text: string): string {
  return isRightToLeft ? markEnglish(text) : text;
}

export function titleOf({ title }: { readonly title: string }): string {
  return title.trim() === '' ? messages.untitled : title;
}

/** A due date for its reader: a day, or a moment in their zone (IO6). */
export function dueLabel(dueDate: string): string {
  const text = dueText(dueDate);
  return IS_DAY.test(text) ? messages.day(text) : messages.moment(dueDate);
}

const IS_DAY = /^\d{4}-\d\d-\d\d$/;
