// The statuses that words and progresses of files become, and the report on them. Rules: IO2, IO11.
import type { LossReport } from '../graph/loss-report.ts';
import { excerpt, STATUS_NAMES, type TransferNode } from '../graph/transfer-graph.ts';
import { statusOfWord } from './words.ts';

type Status = TransferNode['status'];

export const STATUS_WORD = 'a word for a status, which becomes';
export const STATUS_OF_LIST = 'a list or section, which becomes the status';
export const UNKNOWN_STATUS = 'the word is not a status, so the task becomes Available';

/** Reports a word that says more than its status. */
export function reportStatus(word: string, status: Status, place: string, losses: LossReport): void {
  losses.note(STATUS_WORD, `${excerpt(word)} → ${STATUS_NAMES[status]}: ${place}`);
}

/** The status of a word. `own` has the words that only this format has, as `comparableWord` gives them. */
export function statusFrom(
  word: string,
  place: string,
  losses: LossReport,
  own?: Readonly<Record<string, Status>>,
): Status {
  const found = statusOfWord(word, own);
  if (found === null) losses.note(UNKNOWN_STATUS, `${place}: ${excerpt(word)}`);
  else if (!found.isExact) reportStatus(word, found.value, place, losses);
  return found?.value ?? 0;
}

/** The status of a progress from 0 to 100. */
export function statusOfProgress(text: string, place: string, losses: LossReport): 0 | 1 | 3 {
  const percent = text === '' ? 0 : Number(text);
  if (!(percent >= 0 && percent <= 100)) {
    losses.note('a progress that is not from 0 to 100', `${place}: ${excerpt(text)}`);
    return 0;
  }
  if (percent === 0 || percent === 100) return percent === 0 ? 0 : 3;
  losses.note('the progress of a task', `${place}: ${text}`);
  return 1;
}
