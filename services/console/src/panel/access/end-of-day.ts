// The day after which access ends.
import { access as texts } from '../../messages/texts/access.ts';

/** Why a text is no day, for the reader. */
export class DayFault extends Error {}

/** The end of a day in the reader's zone; null without a day. Throws a DayFault for other texts. */
export function endOfDay(day: string): string | null {
  if (day === '') return null;
  const end = new Date(`${day}T23:59:59.999`);
  if (!/^\d{4}-\d\d-\d\d$/.test(day) || Number.isNaN(end.getTime())) throw new DayFault(texts.badDay);
  return end.toISOString();
}
