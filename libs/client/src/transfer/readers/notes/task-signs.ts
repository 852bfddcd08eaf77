// The signs after the title of a task in Markdown: tags, names of people, and the dates, priorities
// and ids of the Obsidian plugin Tasks, as emoji or as fields of Dataview. Rule: IO2.

import { dueDateInFile } from '../../../values/days.ts';
import { COMPLETION_TIME, CREATION_TIME, RECURRENCE, SCHEDULED_DATE, START } from '../../fields/source-field.ts';
import { characterOf } from '../../text/character-references.ts';
import { PRIORITY_WORD } from '../../values/priority-values.ts';

/** A task's text without its signs, and their values. */
export interface TaskSigns {
  readonly title: string;
  readonly tags: readonly string[];
  readonly assignee: readonly string[];
  readonly dueDate: string | null;
  readonly priority: number;
  readonly volume: number;
  /** The id by which other tasks name it; '' if it has none. */
  readonly id: string;
  /** The ids of the tasks that block it. */
  readonly dependencies: readonly string[];
  /** The signs that a node cannot hold. */
  readonly losses: readonly SignLoss[];
}

interface SignLoss {
  readonly what: string;
  readonly value: string;
}

/** The names of the fields that the signs stand for. */
const EMOJI: ReadonlyMap<string, string> = new Map([
  ['📅', 'due'],
  ['📆', 'due'],
  ['🗓', 'due'],
  ['🆔', 'id'],
  ['⛔', 'dependsOn'],
  ['➕', 'created'],
  ['⏳', 'scheduled'],
  ['⌛', 'scheduled'],
  ['🛫', 'start'],
  ['✅', 'completion'],
  ['❌', 'cancelled'],
  ['🔁', 'repeat'],
  ['🏁', 'onCompletion'],
]);
const PRIORITY_EMOJI: ReadonlyMap<string, string> = new Map([
  ['🔺', 'highest'],
  ['⏫', 'high'],
  ['🔼', 'medium'],
  ['🔽', 'low'],
  ['⏬', 'lowest'],
]);
const PRIORITIES: ReadonlyMap<string, number> = new Map(
  Object.entries({ highest: 4, high: 3, medium: 2, low: 1, lowest: 0 }),
);
/** Fields that are reported. */
const UNREAD: ReadonlyMap<string, string> = new Map(
  Object.entries({
    created: CREATION_TIME,
    scheduled: SCHEDULED_DATE,
    start: START,
    completion: COMPLETION_TIME,
    cancelled: 'the cancellation date of a task',
    repeat: RECURRENCE,
    onCompletion: 'what follows the completion of a task',
  }),
);
// Backtracks: it is a choice of single characters, and then the rest of a word.
const SIGN = new RegExp(`^(${[...EMOJI.keys(), ...PRIORITY_EMOJI.keys()].join('|')})\\uFE0F?(.*)$`, 'u');
const MAXIMUM_FIELD_LENGTH = 500;
const TAG = /^#(?=[^#]*[^#\d])([^#\s]+)$/u;
const NAME = /^@([\p{L}\p{N}][^\s@]*)$/u;

/** The signs of a text on one line. */
export function readTaskSigns(text: string): TaskSigns {
  const signs = createSigns();
  const plain = withoutFields(text, signs.add);
  const words = plain.split(/\s+/).filter((word) => word !== '');
  const rest: string[] = [];
  for (let at = 0; at < words.length; ) at = signs.addEmoji(words, at, rest);
  const [tags, assignee]: [string[], string[]] = [[], []];
  for (let last = rest.at(-1); last !== undefined && rest.length > 1; last = rest.at(-1)) {
    const [, tag] = TAG.exec(last) ?? [];
    const [, name] = NAME.exec(last) ?? [];
    if (tag === undefined && name === undefined) break;
    if (tag !== undefined) tags.unshift(tag);
    if (name !== undefined) assignee.unshift(name);
    rest.pop();
  }
  // A tag within a sentence is also one of its words.
  const inner = rest.flatMap((word) => TAG.exec(word)?.[1] ?? []);
  return { ...signs.values(), title: plainText(rest.join(' ')), tags: [...inner, ...tags], assignee };
}

/** The text without its fields of Dataview, such as `[due:: 2026-12-24]`. */
function withoutFields(text: string, add: (name: string, value: string) => boolean): string {
  let [plain, from] = ['', 0];
  for (let colons = text.indexOf('::'); colons >= 0; colons = text.indexOf('::', colons + 2)) {
    let start = colons;
    while (start > from && colons - start < 30 && /[A-Za-z-]/.test(text[start - 1] ?? '')) start--;
    const open = text[start - 1];
    if (start - 1 < from || (open !== '[' && open !== '(')) continue;
    const length = text.slice(colons, colons + MAXIMUM_FIELD_LENGTH).indexOf(open === '[' ? ']' : ')');
    const end = colons + length;
    if (length < 0 || !add(text.slice(start, colons), text.slice(colons + 2, end).trim())) continue;
    plain += `${text.slice(from, start - 1)} `;
    from = end + 1;
    colons = Math.max(colons, end - 1);
  }
  return plain + text.slice(from);
}

function createSigns() {
  let [dueDate, priority, volume, id]: [string | null, number, number, string] = [null, 0, 0, ''];
  const dependencies: string[] = [];
  const losses: SignLoss[] = [];
  const readers: Readonly<Record<string, (value: string) => boolean>> = {
    due(value) {
      const date = dueDateInFile(value);
      if (date === null || dueDate !== null) return false;
      dueDate = date;
      return true;
    },
    priority(value) {
      const known = PRIORITIES.get(value);
      if (known === undefined || priority > 0) return false;
      priority = known;
      if (known === 0) losses.push({ what: PRIORITY_WORD, value: `${value} → ${known}` });
      return true;
    },
    volume(value) {
      if (!/^\d{1,9}$/.test(value) || volume > 0) return false;
      volume = Number(value);
      return true;
    },
    id(value) {
      if (!/^[\w-]+$/.test(value) || id !== '') return false;
      id = value;
      return true;
    },
    dependsOn(value) {
      const ids = value.split(',').map((each) => each.trim());
      if (ids.some((each) => !/^[\w-]+$/.test(each))) return false;
      dependencies.push(...ids);
      return true;
    },
  };
  /** Whether the field is known and its value is valid. Otherwise it remains text. */
  const add = (name: string, value: string): boolean => {
    const loss = UNREAD.get(name);
    if (loss !== undefined) losses.push({ what: loss, value: value.slice(0, 100) });
    return loss !== undefined || (Object.hasOwn(readers, name) && readers[name]?.(value) === true);
  };
  /** Reads the sign at a word, or adds the word to the rest. Returns the next word. */
  const addEmoji = (words: readonly string[], at: number, rest: string[]): number => {
    const word = words[at] ?? '';
    const [, sign = '', attached = ''] = SIGN.exec(word) ?? [];
    const level = PRIORITY_EMOJI.get(sign);
    const name = EMOJI.get(sign);
    if (level !== undefined && attached === '' && add('priority', level)) return at + 1;
    if (name !== undefined) {
      let end = attached === '' ? at + 2 : at + 1;
      // A recurrence and a list of ids have several words.
      const goesOn = () => name === 'repeat' || words[end - 1]?.endsWith(',') === true;
      while (end < words.length && goesOn() && !/^[#@]/.test(words[end] ?? '') && !SIGN.test(words[end] ?? '')) end++;
      const value = [attached, ...words.slice(at + 1, end)].join(' ').trim();
      if (value !== '' && add(name, value)) return end;
    }
    rest.push(word);
    return at + 1;
  };
  return { add, addEmoji, values: () => ({ dueDate, priority, volume, id, dependencies, losses }) };
}

/** Without the backslashes and numbers that make signs of Markdown plain text. */
export function plainText(text: string): string {
  // Backtracks: only the last backtick can be without a second one.
  return text.replaceAll(/`[^`]*`|\\([!-/:-@[-`{-~])|&#(\d{1,7});/g, (all, sign?: string, number?: string) => {
    if (sign !== undefined) return sign;
    return (number === undefined ? null : characterOf(Number(number))) ?? all;
  });
}
