// The texts of fields that have one value, and the values of these texts.
import { dueText } from '@taskgraph/client';
import { MOST_NUMBER } from '../../graph/limits.ts';
import type { Task } from '../../graph/task.ts';
import { edit } from '../../messages/texts/edit.ts';
import type { ValueField } from '../../session/field-edits.ts';

/** Text and value of a field. */
export interface FieldForm<F extends ValueField> {
  readonly textOf: (value: Task[F]) => string;
  /** Throws a FieldFault if the text is no value. */
  readonly parse: (text: string) => Task[F];
}

/** Why a text is no value of its field, for the reader. */
export class FieldFault extends Error {}

/** The limits of the service (NODE2). */
export const MOST_ITEM_CHARACTERS = { tags: 100, assignee: 255 } as const;

export const NUMBER: FieldForm<'volume' | 'priority'> = {
  textOf: (value) => (value === 0 ? '' : String(value)),
  parse(text) {
    const isWhole = /^\d{0,7}$/.test(text.trim());
    if (!isWhole || Number(text) > MOST_NUMBER) throw new FieldFault(edit.badNumber);
    return Number(text);
  },
};

/** A due date is written as a day. One with a time of day shows its day. */
export const DAY: FieldForm<'dueDate'> = {
  textOf: (value) => (value === null ? '' : dueText(value).slice(0, 'YYYY-MM-DD'.length)),
  parse(text) {
    if (text === '') return null;
    if (!/^\d{4}-\d\d-\d\d$/.test(text)) throw new FieldFault(edit.badDay);
    // As the service stores a day (IO6), so that the same day is no change.
    return `${text}T23:59:59.000Z`;
  },
};

export const TEXT: FieldForm<'description'> = { textOf: (value) => value, parse: (text) => text };
