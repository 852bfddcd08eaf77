// The texts in the reader's language, and those of refusals.
import { dueText, TaskgraphError } from '@taskgraph/client';
import { translated } from '../language.ts';
import { en } from './en.ts';

export const messages = translated('main', en);

/** A failure in words. */
export function refusalText(error: unknown): string {
  if (!(error instanceof TaskgraphError)) return String(error);
  return messages.refusals[error.code] ?? error.message.slice(error.code.length + 2);
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
