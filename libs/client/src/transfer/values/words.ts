// The words for statuses and priorities, and the values that they become, in every format. Rules: IO2,
// IO7, IO11.
import { comparableWord } from '../text/csv-table.ts';

type Status = 0 | 1 | 2 | 3;

/** A value of a cell. `isExact` is false if the word says more than the value. */
export interface WordValue<T> {
  readonly value: T;
  readonly isExact: boolean;
}

/** Words that mean a status, as `comparableWord` gives them. */
const STATUS_WORDS = wordTable<Status>([
  [0, ['', 'available', 'todo', 'open', 'opened', 'new', 'notstarted', 'waiting', 'no', 'false', '0', 'unstarted']],
  [0, ['pending', 'ready', '☐', '⬜', '[]']],
  [0, ['needsaction']],
  [
    1,
    [
      'inprogress',
      'inprocess',
      'started',
      'doing',
      'active',
      '1',
      'working',
      'workingonit',
      'wip',
      'ongoing',
      'underway',
    ],
  ],
  [2, ['blocked', '2']],
  [3, ['completed', 'complete', 'done', 'closed', 'yes', 'true', 'x', '3', 'finished', 'resolved', 'accepted']],
  [3, ['✓', '✔', '✅', '☑', '[x]']],
]);

/** Words that say more than the status that they become, or that another language has. */
const NARROWED_STATUS_WORDS = wordTable<Status>([
  [0, ['backlog', 'icebox', 'triage', 'unscheduled', 'scheduled', 'planned', 'planning', 'upcoming', 'next', 'later']],
  [0, ['someday', 'deferred', 'postponed', 'onhold', 'hold', 'paused', 'draft', 'proposed', 'idea', 'ideas', 'inbox']],
  [0, ['reopened', 'nostatus', 'selectedfordevelopment', 'readyfordevelopment', 'readyfordev', 'readytostart']],
  [0, ['readyforwork', 'approved', 'assigned', 'estimated', 'feedback', 'needsinfo', 'queued', 'thisweek', 'today']],
  [0, ['offen', 'neu', 'geplant', 'pendiente', 'porhacer', 'afaire', 'nouveau', 'aberto', 'afazer', 'pendente']],
  [1, ['inreview', 'review', 'underreview', 'codereview', 'inqa', 'qa', 'testing', 'intesting', 'intest', 'test']],
  [1, ['indevelopment', 'development', 'indesign', 'delivered', 'verifying', 'verification', 'uat', 'staging']],
  [1, ['readyforreview', 'readyfortest', 'readyfortesting', 'readyforqa', 'inanalysis', 'late', 'delayed', 'atrisk']],
  [1, ['overdue', 'ontrack', 'partial', 'partiallydone', 'begun', 'almostdone', 'readytomerge']],
  [1, ['inarbeit', 'inbearbeitung', 'enprogreso', 'encurso', 'encours', 'emandamento', 'emprogresso']],
  [2, ['stuck', 'impeded', 'blockiert', 'bloqueado', 'bloque', 'waitingforsupport', 'waitingforothers']],
  [3, ['cancelled', 'canceled', 'wontdo', "won'tdo", 'wontfix', "won'tfix", 'duplicate', 'archived', 'rejected']],
  [3, ['invalid', 'obsolete', 'dropped', 'skipped', 'abandoned', 'declined', 'released', 'deployed', 'verified']],
  [3, ['merged', 'shipped', 'live', 'published', 'tested', 'fixed', 'implemented', 'signedoff', 'notplanned']],
  [3, ['erledigt', 'fertig', 'abgeschlossen', 'geschlossen', 'completado', 'hecho', 'terminado', 'termine', 'fait']],
  [3, ['concluido', 'feito', 'finalizado']],
]);

/** The scale of words for priorities: a greater number is more urgent. */
const PRIORITY_WORDS = wordTable<number>([
  [5, ['blocker', 'immediate', 'showstopper']],
  [4, ['urgent', 'critical', 'highest', 'veryhigh', 'asap', 'p0', 'must', 'musthave', 'urgente', 'kritisch']],
  [3, ['high', 'major', 'important', 'h', 'p1', 'should', 'shouldhave', '!!!', 'hoch', 'alta', 'haute', 'hi']],
  [2, ['medium', 'normal', 'moderate', 'med', 'mid', 'm', 'average', 'standard', 'p2', 'could', 'couldhave', '!!']],
  [2, ['mittel', 'media', 'moyenne']],
  [1, ['low', 'minor', 'lowest', 'verylow', 'trivial', 'l', 'p3', 'optional', 'nicetohave', '!', 'lo']],
  [1, ['niedrig', 'baja', 'basse', 'baixa']],
  [0, ['none', 'nopriority', 'notset', 'unprioritized', 'undefined', 'p4', 'wont', "won't", "won'thave"]],
]);

function wordTable<T>(rows: readonly (readonly [value: T, words: readonly string[]])[]): ReadonlyMap<string, T> {
  return new Map(rows.flatMap(([value, words]) => words.map((word): [string, T] => [word, value])));
}

/** Characters of a word that are compared. */
const MAXIMUM_WORD_LENGTH = 60;

/** The letters and digits within a word, such as `Done` in `✅ Done` and `To do` in `1. To do`. */
function core(word: string): string {
  const characters = [...word];
  const first = characters.findIndex((each) => /\p{L}/u.test(each));
  const last = characters.findLastIndex((each) => /[\p{L}\p{N}%]/u.test(each));
  return first < 0 ? '' : characters.slice(first, last + 1).join('');
}

/** The status of a word; null if the word is not known. `own` has the words of a program. */
export function statusOfWord(
  text: string,
  own: Readonly<Record<string, Status>> | undefined,
): WordValue<Status> | null {
  if (text.length > MAXIMUM_WORD_LENGTH) return null;
  const word = comparableWord(text);
  const percent = percentOf(text);
  if (percent !== null && text.trim().endsWith('%'))
    return { value: statusOfShare(percent), isExact: percent === 0 || percent === 1 };
  for (const each of [word, core(word)]) {
    if (own !== undefined && Object.hasOwn(own, each)) return { value: own[each] as Status, isExact: false };
    const plain = each === '' && word !== '' ? undefined : STATUS_WORDS.get(each);
    if (plain !== undefined) return { value: plain, isExact: true };
    const narrowed = NARROWED_STATUS_WORDS.get(each);
    if (narrowed !== undefined) return { value: narrowed, isExact: false };
  }
  return null;
}

/** The priority of a number or word; null if the word is not known. */
export function priorityOfWord(
  text: string,
  own: Readonly<Record<string, number>> | undefined,
): WordValue<number> | null {
  if (text.length > MAXIMUM_WORD_LENGTH) return null;
  const word = comparableWord(text);
  if (own !== undefined && Object.hasOwn(own, word)) return { value: own[word] as number, isExact: false };
  const number = numberOf(text);
  if (number !== null) return { value: number, isExact: true };
  // Some programs write a number before the word: `p1 - High`, `1-Critical`.
  const letters = word.replace(/^p\d/, '').replaceAll(/[^\p{L}]/gu, '');
  for (const each of [word, letters]) {
    const value = PRIORITY_WORDS.get(each);
    if (value !== undefined) return { value, isExact: false };
  }
  return null;
}

/** A number with a decimal point or comma; null if the text is none. */
export function numberOf(text: string): number | null {
  const trimmed = text.trim();
  if (trimmed === '') return null;
  const value = Number(/^-?\d+,\d{1,2}$/.test(trimmed) ? trimmed.replace(',', '.') : trimmed);
  if (Number.isFinite(value)) return value;
  return /^-?\d{1,3}(?:,\d{3})+(?:\.\d+)?$/.test(trimmed) ? Number(trimmed.replaceAll(',', '')) : null;
}

/** The share that a percentage means; null if the text is none. */
export function percentOf(text: string): number | null {
  const trimmed = text.trim();
  const isPercentage = trimmed.endsWith('%');
  const value = numberOf(isPercentage ? trimmed.slice(0, -1) : trimmed);
  return value === null || value < 0 ? null : isPercentage ? value / 100 : value;
}

export function statusOfShare(share: number): Status {
  return share >= 1 ? 3 : share > 0 ? 1 : 0;
}

/** Words that programs write into empty cells of numbers, dates and links. */
const BLANK_WORDS: ReadonlySet<string> = new Set([
  '',
  '-',
  '–',
  '—',
  '无',
  'なし',
  'n/a',
  'na',
  'null',
  'none',
  'nan',
  'undefined',
  '[]',
  '(none)',
  '--',
]);

export function isBlank(text: string): boolean {
  return BLANK_WORDS.has(text.trim().toLowerCase());
}

export const YES: ReadonlySet<string> = new Set(['true', 'yes', '1', 'x', 'y', '✓', '✔', '✅', '☑']);
export const NO: ReadonlySet<string> = new Set(['', 'false', 'no', '0', 'n', '☐']);
