// The syntax of headlines, keywords, timestamps and durations in Org mode.
import { dueDateInFile } from '../../../values/days.ts';
import type { TransferNode } from '../../graph/transfer-graph.ts';
import { statusOfWord } from '../../values/words.ts';

export interface OrgKeywords {
  has(word: string): boolean;
  statusOf(keyword: string): TransferNode['status'];
  /** Whether the status has the meaning of the keyword. */
  isExact(keyword: string): boolean;
}

/** Keywords that are common in settings of users, who may not write them into the file. */
const OPEN = ['TODO', 'NEXT', 'WAITING', 'WAIT', 'HOLD', 'PROJ', 'SOMEDAY'];
const STARTED = ['STARTED', 'STRT', 'DOING', 'INPROGRESS', 'IN-PROGRESS'];
const DONE = ['DONE', 'CANCELLED', 'CANCELED', 'KILL'];
/** Words that only Org has. */
const OWN_STATUSES = { strt: 1 } as const;
const EXACT = new Set(['', 'TODO', 'DONE', ...STARTED]);
/** Words of one setting. */
const MAXIMUM_KEYWORDS = 200;

/** The keywords of the file: those of its settings and the usual ones. */
export function createKeywords(lines: readonly string[]): OrgKeywords {
  const done = new Set(DONE);
  const open = new Set([...OPEN, ...STARTED]);
  for (const line of lines) {
    const [setting] = /^#\+(?:SEQ_|TYP_)?TODO:/i.exec(line) ?? [];
    if (setting === undefined) continue;
    const list = line.slice(setting.length);
    // Parentheses have the key of a keyword.
    const words = list.split(/\s+/, MAXIMUM_KEYWORDS).map((word) => word.split('(', 1)[0] ?? '');
    const bar = words.includes('|') ? words.indexOf('|') : words.filter((word) => word !== '').length - 1;
    for (const [index, word] of words.entries()) if (word !== '' && word !== '|') (index < bar ? open : done).add(word);
  }
  return {
    has: (word) => open.has(word) || done.has(word),
    statusOf(keyword) {
      // The setting decides which keywords mean completion.
      const { value = 0 } = done.has(keyword) ? { value: 3 as const } : (statusOfWord(keyword, OWN_STATUSES) ?? {});
      return value === 3 && !done.has(keyword) ? 0 : value;
    },
    isExact: (keyword) => EXACT.has(keyword),
  };
}

const PRIORITIES: ReadonlyMap<string, number> = new Map(Object.entries({ A: 3, B: 2, C: 1 }));

/** The parts of a headline after its stars. */
export function splitHeadline(text: string, keywords: OrgKeywords) {
  let rest = text.trim();
  const last = rest.slice(Math.max(rest.lastIndexOf(' '), rest.lastIndexOf('\t')) + 1);
  const isTags = /^:[\p{L}\p{N}_@#%:]+$/u.test(last) && last.endsWith(':');
  const tagText = isTags ? last : '';
  rest = rest.slice(0, rest.length - tagText.length).trim();
  const [word = ''] = rest.split(/[ \t]/, 1);
  const keyword = keywords.has(word) ? word : '';
  rest = rest.slice(keyword.length).trim();
  const [cookie = '', letter = ''] = /^\[#([A-Z0-9]{1,2})\]/.exec(rest) ?? [];
  const priority = PRIORITIES.get(letter) ?? 0;
  return {
    keyword,
    title: rest.slice(cookie.length).trim(),
    priority,
    lostPriority: priority === 0 ? letter : '',
    tags: tagText.split(':').filter((tag) => tag !== ''),
  };
}

/** The date of `<2026-12-24 Thu 18:00 +1w>`, and whether it says nothing else. */
export function timestampDate(stamp: string): { readonly dueDate: string | null; readonly isWhole: boolean } {
  const [day = '', ...words] = stamp.slice(1, -1).trim().split(/\s+/);
  const rest = /^[^\d+.-]/.test(words[0] ?? '') ? words.slice(1) : words;
  const clock = /^\d{1,2}:\d\d$/.test(rest[0] ?? '') ? rest.shift() : undefined;
  const dueDate = dueDateInFile(clock === undefined ? day : `${day}T${clock.padStart(5, '0')}`);
  return { dueDate, isWhole: rest.length === 0 };
}
