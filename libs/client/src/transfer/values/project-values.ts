// The values of Microsoft Project, in its tables and in its XML. Rule: IO11.
import type { WordValue } from './words.ts';

/** The end of a day of work, unless a plan says otherwise. A deadline at this time is a day. */
export const PROJECT_FINISH_TIME = '17:00:00';

/** In Microsoft Project, priorities go from 0 to 1000. 500 is the normal one, and becomes 0. */
export const PROJECT_PRIORITIES = { normal: 500, step: 100, highest: 1_000 } as const;

/** The priority of Microsoft Project; null if the text is none. */
export function projectPriority(text: string): WordValue<number> | null {
  const { normal, step, highest } = PROJECT_PRIORITIES;
  const value = text.trim() === '' ? normal : Number(text);
  if (!(value >= 0 && value <= highest)) return null;
  const above = (value - normal) / step;
  return { value: Math.max(0, Math.ceil(above)), isExact: above >= 0 && Number.isInteger(above) };
}
