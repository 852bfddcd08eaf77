// Checks a search as node:find does, without schemas: schemas would add zod to every web page.
// Rules: FIND2, FIND3, FIND4, FIND9.
import type { Conditions } from '@taskgraph/domain/find/conditions';
import type { Search, SortName } from '@taskgraph/domain/find/search';
import { normalizeFirst, normalizeLast } from '@taskgraph/wire/timestamps';
import type { Calls } from '../calls.ts';
import { localRefusal } from '../error.ts';

/** A search of `node:find`, without pages. */
export type NodeSearch = Pick<Calls['node:find']['payload'], 'root' | 'text' | 'where' | 'sort' | 'order' | 'locale'>;

/** A search whose times are in UTC with milliseconds. */
export interface ValidSearch extends Search {
  readonly root?: string;
}

// The bounds of node:find.
const MOST_CONDITIONS = 16;
const MOST_VALUES = 64;
const MOST_ALTERNATIVES = 8;
const MOST_WORDS = 10;
const MOST_CHARACTERS = 200;
const LONGEST_VALUE = 255;
const LONGEST_TITLE = 500;
const ID_ENDING = /^[0-9a-f]{4,32}$/;
const [SHORTEST_LOCALE, LONGEST_LOCALE] = [2, 35];

/** Returns the value with its times in UTC; undefined if it is invalid. */
type Check = (value: unknown) => unknown;

const texts =
  (most: number, least = 0): Check =>
  (value) =>
    typeof value === 'string' && value.length >= least && value.length <= most ? value : undefined;
const lists =
  (item: Check, most = MOST_VALUES): Check =>
  (value) => {
    if (!Array.isArray(value) || value.length > most) return undefined;
    const items = value.map(item);
    return items.includes(undefined) ? undefined : items;
  };
const members =
  (checks: Readonly<Record<string, Check>>): Check =>
  (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    const valid: Record<string, unknown> = {};
    for (const [name, member] of Object.entries(value)) {
      if (member === undefined) continue;
      const checked = Object.hasOwn(checks, name) ? checks[name]?.(member) : undefined;
      if (checked === undefined) return undefined;
      valid[name] = checked;
    }
    return valid;
  };
const oneOf =
  (names: Readonly<Record<string, true>>): Check =>
  (value) =>
    typeof value === 'string' && Object.hasOwn(names, value) ? value : undefined;
const times =
  (normalize: (text: string) => string | null): Check =>
  (value) =>
    (typeof value === 'string' ? normalize(value) : null) ?? undefined;

const text = texts(LONGEST_VALUE);
const flag: Check = (value) => (typeof value === 'boolean' ? value : undefined);
const number: Check = (value) => (Number.isFinite(value) ? value : undefined);
/** A status or a level. */
const code: Check = (value) => ([0, 1, 2, 3].includes(value as number) ? value : undefined);
const codes = lists(code);
const ending: Check = (value) => (typeof value === 'string' && ID_ENDING.test(value) ? value : undefined);
const numberRange = members({ min: number, max: number });
const timeRange = members({ from: times(normalizeFirst), to: times(normalizeLast) });
const anyValue = lists(text);
const allValues = members({ all: anyValue });
const values: Check = (value) => {
  if (Array.isArray(value)) return anyValue(value);
  const all = allValues(value) as object | undefined;
  return all !== undefined && 'all' in all ? all : undefined;
};

const CONDITIONS = {
  id: lists(ending),
  title: lists(texts(LONGEST_TITLE)),
  status: codes,
  tag: values,
  assignee: values,
  owner: texts(LONGEST_VALUE, 1),
  priority: numberRange,
  volume: numberRange,
  due: (value) => (value === 'none' ? value : timeRange(value)),
  overdue: flag,
  created: timeRange,
  edited: timeRange,
  completed: timeRange,
  ready: flag,
  blocked: flag,
  blocks: text,
  waitsFor: text,
  leaf: flag,
  top: flag,
  unlinked: flag,
  level: codes,
  published: flag,
} satisfies Record<keyof Conditions, Check>;

const conditionGroups = members({ ...CONDITIONS, any: lists(members(CONDITIONS), MOST_ALTERNATIVES) });

const SORTS = { due: true, priority: true, edited: true, created: true, completed: true, title: true } satisfies Record<
  SortName,
  true
>;

/** In the order in which node:find checks its fields. */
const FIELDS: Readonly<Record<keyof NodeSearch, Check>> = {
  root: text,
  text: (value) => (countWords(value) <= MOST_WORDS ? texts(MOST_CHARACTERS)(value) : undefined),
  where(value) {
    const where = conditionGroups(value) as ({ any?: object[] } & object) | undefined;
    return where !== undefined && countConditions(where) <= MOST_CONDITIONS ? where : undefined;
  },
  sort: oneOf(SORTS),
  order: oneOf({ asc: true, desc: true }),
  locale: (value) => (isLocale(value) ? value : undefined),
};

/** Throws a TaskgraphError with the code of `node:find`. */
export function checkSearch(search: NodeSearch): ValidSearch {
  const fields: Readonly<Record<string, unknown>> = search;
  const unknown = Object.keys(fields).find((name) => !Object.hasOwn(FIELDS, name));
  if (unknown !== undefined)
    throw localRefusal('bad_request.unknown_field', `A search of a replica has no field ${unknown}.`);
  const valid: Record<string, unknown> = {};
  for (const [name, check] of Object.entries(FIELDS)) {
    if (fields[name] === undefined) continue;
    valid[name] = check(fields[name]);
    if (valid[name] === undefined)
      throw localRefusal(`bad_request.invalid_${name}`, `The field ${name} of the search is invalid.`);
  }
  return valid as ValidSearch;
}

function countWords(value: unknown): number {
  return String(value).trim().split(/\s+/).length;
}

function countConditions({ any = [], ...all }: { readonly any?: readonly object[] }): number {
  return [all, ...any].flatMap((group) => Object.keys(group)).length;
}

function isLocale(value: unknown): boolean {
  if (texts(LONGEST_LOCALE, SHORTEST_LOCALE)(value) === undefined) return false;
  try {
    return Intl.getCanonicalLocales(value as string).length === 1;
  } catch {
    return false;
  }
}
