// The priorities that words and numbers of files become, and the report on them. A greater number is
// more urgent. Rules: IO2, IO11.
import type { LossReport } from '../graph/loss-report.ts';
import { excerpt } from '../graph/transfer-graph.ts';
import { priorityOfWord, type WordValue } from './words.ts';

export const PRIORITY_WORD = 'a word for a priority, which becomes';
export const UNKNOWN_PRIORITY = 'the word is not a priority, so it becomes 0';

/** Reports a priority that says more than its number. */
export function reportPriority(word: string, priority: number, place: string, losses: LossReport): void {
  losses.note(PRIORITY_WORD, `${excerpt(word)} → ${priority}: ${place}`);
}

/** The priority of a word. `scale` has the words of the format, which are not reported. */
export function priorityFrom(
  word: string,
  place: string,
  losses: LossReport,
  scale: ReadonlyMap<string, number>,
): number {
  const own = scale.get(word);
  if (own !== undefined) return own;
  const found = priorityOfWord(word, undefined);
  if (found === null) losses.note(UNKNOWN_PRIORITY, `${place}: ${excerpt(word)}`);
  else reportPriority(word, found.value, place, losses);
  return found?.value ?? 0;
}

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
