// The search for nodes. Rules: FIND1 to FIND7.
import { z } from 'zod';
import { Level } from '../codes.ts';
import { wireNode } from '../entities.ts';
import { type Refusal, refuseField } from '../errors.ts';
import { firstMoment, lastMoment, list, nodeStatus, text } from '../fields.ts';
import { anyId } from '../ids.ts';
import { NODE_FIELDS } from '../node-fields.ts';
import { answer } from './answers.ts';
import { type Operation, READ } from './operation.ts';
import { selectedFields } from './payloads.ts';

/** Most nodes of one answer. */
export const MOST_HITS = 500;
/** Most conditions of a search, in all alternatives together, and most values of one. */
const MOST_CONDITIONS = 16;
const MOST_VALUES = 64;
const MOST_ALTERNATIVES = 8;
/** Most words and UTF-16 units of a text. */
const MOST_WORDS = 10;
const MOST_CHARACTERS = 200;
/** Digits of the end of an id: enough to be rare, and at most all. */
const SHORTEST_ENDING = 4;
const LONGEST_ENDING = 32;
/** Longer than any tag, name of a person, and name of a language. */
const LONGEST_VALUE = 255;
const LONGEST_LOCALE = 35;
/** Longer than any cursor, which may contain a title. */
const CURSOR_LENGTH = 8_000;

const anyValue = list(text(LONGEST_VALUE), MOST_VALUES);
const values = z.union([anyValue, z.strictObject({ all: anyValue })]);
const numbers = z.strictObject({ min: z.number().optional(), max: z.number().optional() });
const times = z.strictObject({ from: firstMoment.optional(), to: lastMoment.optional() });
const flag = z.boolean().optional();
const ending = text(LONGEST_ENDING, SHORTEST_ENDING).regex(/^[0-9a-f]+$/, 'must be hexadecimal digits in lower case');

const conditions = {
  id: list(ending, MOST_VALUES).optional().describe('Any of these ends of ids, without hyphens.'),
  title: list(text(NODE_FIELDS.title.write.most), MOST_VALUES)
    .optional()
    .describe('Any of these whole titles. Case, accents and compatibility forms do not matter.'),
  status: list(nodeStatus, MOST_VALUES).optional().describe('0 available, 1 in progress, 2 blocked, 3 completed.'),
  tag: values.optional().describe('Any of the tags, or `all` of them.'),
  assignee: values.optional().describe('Any of the assignees, or `all` of them. `me` also means the caller.'),
  owner: text(LONGEST_VALUE, 1).optional().describe('The username of the owner; `me` means the caller.'),
  priority: numbers.optional().describe('Both bounds are included.'),
  volume: numbers.optional().describe('Both bounds are included.'),
  due: z
    .union([times, z.literal('none')])
    .optional()
    .describe('Both bounds are included; a day means all of it. `none`: without a due date.'),
  overdue: flag.describe('Whether an open node is past its due date.'),
  created: times.optional().describe('When it was created.'),
  edited: times.optional().describe('When it was last edited.'),
  completed: times.optional().describe('When it was completed.'),
  ready: flag.describe('Whether it can be worked on: neither Blocked nor Completed.'),
  blocked: flag.describe('Whether it is Blocked.'),
  blocks: anyId.optional().describe('The id of a node that it blocks.'),
  waitsFor: anyId.optional().describe('The id of a node that blocks it.'),
  leaf: flag.describe('Whether no visible primary link leads to it.'),
  top: flag.describe('Whether no visible primary link leads from it.'),
  unlinked: flag.describe('Whether no visible link touches it.'),
  level: list(z.int().min(Level.OWNER).max(Level.VIEWER), MOST_VALUES)
    .optional()
    .describe("The caller's level: 0 owner, 1 admin, 2 editor, 3 viewer."),
  published: flag.describe('Whether it is published, as far as the caller sees that.'),
};

/** The conditions of a search. */
export const findConditions = z.strictObject({
  ...conditions,
  any: list(z.strictObject(conditions), MOST_ALTERNATIVES)
    .optional()
    .describe('Alternatives, one of which a node must meet besides all other conditions.'),
});

const found = answer({
  nodes: z.array(wireNode),
  hasMore: z.boolean(),
  next: z.string().nullable().describe('The `after` of the next page; null on the last.'),
  truncated: z
    .literal(true)
    .optional()
    .describe('The search did not consider all nodes yet. The pages of `next` continue with the others.'),
}).meta({ id: 'FoundNodes', description: 'Nodes that meet the conditions of a search.' });

export const findOperations = {
  'node:find': {
    ...READ,
    name: 'node:find',
    transports: { rest: { method: 'GET', path: '/api/nodes', alsoPost: true, flattened: 'where' }, socket: {} },
    summary: 'Finds nodes by conditions and words.',
    description:
      "Searches the active nodes of the caller's graph, or of the branch of `root`. Over GET, the conditions are parameters of their own, lists are separated by commas, and a member of a condition is written as `due.to`; POST takes `where` as JSON.",
    payload: z.strictObject({
      root: anyId.optional().describe('The id of the root of a branch; by default the whole graph is searched.'),
      text: text(MOST_CHARACTERS)
        .optional()
        .describe(
          `1 to ${MOST_WORDS} words. Each must begin a word of the title, a tag or the description. Case, accents and compatibility forms do not matter.`,
        ),
      where: findConditions.optional().describe('Conditions, all of which a node must meet.'),
      sort: z
        .enum(['due', 'priority', 'edited', 'created', 'completed', 'title'])
        .optional()
        .describe(
          'The order; nodes without the value come last, then the id decides. Default: where the words match, then the last edited first.',
        ),
      order: z.enum(['asc', 'desc']).default('asc').describe('The direction of `sort`.'),
      locale: text(LONGEST_LOCALE, 2)
        .refine(isLocale, 'must be a language tag such as tr or pt-BR')
        .optional()
        .describe('The language by which titles are sorted.'),
      limit: z.int().min(1).max(MOST_HITS).default(50).describe('The most nodes of the page.'),
      after: text(CURSOR_LENGTH).optional().describe('The `next` of the page before, of the same search.'),
      fields: selectedFields,
    }),
    check: checkSearch,
    answer: found,
    errors: ['not_found', 'forbidden', 'bad_request.invalid_after', 'bad_request.too_large'],
    level: { least: null, say: 'None: callers find what is visible to them; viewer on `root`.' },
    rules: ['FIND1', 'FIND2', 'FIND3', 'FIND4', 'FIND5', 'FIND6', 'FIND7', 'NGET3', 'ACL1', 'GEN7', 'GEN11'],
    example: { text: 'release', where: { ready: true }, sort: 'due' },
  },
} as const satisfies Record<string, Operation>;

function isLocale(name: string): boolean {
  try {
    return Intl.getCanonicalLocales(name).length === 1;
  } catch {
    return false;
  }
}

/** The parts of a payload that its check reads. */
export interface SearchPayload {
  readonly text?: string;
  readonly where?: Readonly<Record<string, unknown>>;
}

/** Refuses a search with too many words or conditions. */
export function checkSearch(payload: SearchPayload): Refusal | null {
  const { text: words = '', where: { any = [], ...all } = {} } = payload;
  if (words.trim().split(/\s+/).length > MOST_WORDS) {
    return refuseField('invalid', 'text', `The text has more than ${MOST_WORDS} words.`);
  }
  const groups = [all, ...(any as Readonly<Record<string, unknown>>[])];
  const count = groups.reduce((sum, group) => sum + Object.values(group).filter((one) => one !== undefined).length, 0);
  if (count > MOST_CONDITIONS) {
    return refuseField('invalid', 'where', `The search has more than ${MOST_CONDITIONS} conditions.`);
  }
  return null;
}
