// The priorities that words and numbers of files become, and the report on them. A greater number is
// more urgent. Rules: IO2, IO11.
import type { LossReport } from '../graph/loss-report.ts';
import { excerpt } from '../graph/transfer-graph.ts';
import { priorityOfWord } from './words.ts';

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
