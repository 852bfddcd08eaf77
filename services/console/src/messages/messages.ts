// The texts in the reader's language, and those of refusals.
import { dueText, TaskgraphError } from '@taskgraph/client';
import { isRightToLeft, translated } from '../language.ts';
import { en } from './en.ts';
import { marked } from './isolated.ts';

export const messages = translated('main', en);

/** A failure in words. */
export function refusalText(error: unknown): string {
  if (!(error instanceof TaskgraphError)) return serviceText(String(error));
  return codeText(error.code, error.message.slice(error.code.length + 2));
}

/** The text of an error code; without one, the message of the service (CON44). */
export function codeText(code: string, message: string): string {
  const { refusals } = messages;
  // A code such as `bad_request.invalid_title` has the text of its family.
  return refusals[code] ?? refusals[code.slice(0, code.lastIndexOf('_') + 1)] ?? serviceText(message);
}

/** A text in English of the service, the browser or a reader of files. */
export function serviceText(text: string): string {
  return isRightToLeft ? marked(text) : text;
}

export function titleOf({ title }: { readonly title: string }): string {
  return title.trim() === '' ? messages.untitled : title;
}

/** A due date for its reader: a day, or a moment in their zone (IO6). */
export function dueWords(dueDate: string): string {
  const text = dueText(dueDate);
  return IS_DAY.test(text) ? messages.day(text) : messages.moment(dueDate);
}

const IS_DAY = /^\d{4}-\d\d-\d\d$/;
