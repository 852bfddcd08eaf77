// The reads of pages and changes.
import { z } from 'zod';
import { username } from '../account-fields.ts';
import { Op } from '../codes.ts';
import { type Refusal, refuseField } from '../errors.ts';
import { firstMoment, list, text } from '../fields.ts';
import { anyId } from '../ids.ts';
import { changes, graphPage, historyPageAnswer, trashPageAnswer } from './answers.ts';
import { EXAMPLE } from './examples.ts';
import { type Operation, READ } from './operation.ts';
import { paged, selectedFields } from './payloads.ts';

/** A position names each feed of its reader. Together with the cursor, it must fit into a body. */
const POSITION_LENGTH = 160_000;
const CURSOR_LENGTH = 90_000;
/** Longer than the name of any feed. */
const FEED_LENGTH = 100;
/**
 * The feeds with slices since the position. Together with the position and the cursor, they must
 * fit into a body.
 */
const MAXIMUM_HEARD = 200;

/** Less than the minute after which most proxies give up on an answer. */
export const LONGEST_WAIT_SECONDS = 55;

const heard = list(z.strictObject({ feed: text(FEED_LENGTH, 1), seq: z.int().min(0) }), MAXIMUM_HEARD).describe(
  'Numbers of feeds up to which the caller has everything. The answer starts after them if they are later than the position.',
);

/** Most nodes and links of a page of the graph. */
export const MOST_PAGE_ENTITIES = 5_000;

const graphFields = {
  ...paged(MOST_PAGE_ENTITIES, 1_000),
  after: text(200)
    .optional()
    .describe('The `next` of the page before. Pages by `after` are complete even while others write.'),
  fields: selectedFields,
};

/**
 * The read itself checks the type together with the scope, because every fault of a scope gets the
 * same refusal.
 */
const scopeType = text(100).describe('GRAPH, NODE, LINK or USER.');
const scopeId = anyId.describe("The id of the node or link; for GRAPH and USER, the caller's own id is valid too.");

const OP_CODES: readonly number[] = Object.values(Op);
const opCode = z
  .int()
  .min(0)
  .max(Math.max(...OP_CODES))
  .refine((code) => OP_CODES.includes(code), 'must be the code of an operation');

/** The most users, and the most kinds of operations, that a call for history names. */
const MOST_ACTORS = 20;

const historyFields = {
  ...paged(1_000, 100),
  order: z.enum(['newest', 'oldest']).default('newest').describe('Which batches come first.'),
  after: text(200)
    .optional()
    .describe('The `next` of a page with the same scope, order and filters. It takes the place of `offset`.'),
  since: firstMoment.optional().describe('Only batches of this time or later. A day means its beginning in UTC.'),
  actor: list(username, MOST_ACTORS)
    .optional()
    .describe(`Only batches of these users, by username; 1 to ${MOST_ACTORS}.`),
  ops: list(opCode, OP_CODES.length)
    .optional()
    .describe('Only batches with a visible operation of one of these types on an entity of the scope.'),
};

function checkHistory({ order, after, offset, actor, ops }: Readonly<Record<string, unknown>>): Refusal | null {
  if (offset !== 0 && (after !== undefined || order === 'oldest')) {
    return refuseField('invalid', 'offset', 'Pages by after, and pages of the order oldest, have no offset.');
  }
  for (const [name, values] of [
    ['actor', actor],
    ['ops', ops],
  ] as const) {
    if ((values as readonly unknown[] | undefined)?.length === 0) {
      return refuseField('invalid', name, `The list ${name} is empty.`);
    }
  }
  return null;
}

const changesFields = {
  since: text(POSITION_LENGTH, 1).describe('The `position` of an earlier answer.'),
  heard: heard.optional(),
  cursor: text(CURSOR_LENGTH, 1)
    .optional()
    .describe('The `next` of the page before; `since` and `heard` stay the same.'),
  fields: selectedFields,
};

const ANYBODY = { least: null, say: 'None: callers read what is visible to them.' } as const;

export const readOperations = {
  'graph:get': {
    ...READ,
    name: 'graph:get',
    transports: { rest: { method: 'GET', path: '/api/graph' }, socket: {} },
    summary: 'Reads a page of the graph that is visible to the caller.',
    description:
      'All active nodes come before all active links, each in order of id. A page is also bounded by bytes (4 MiB, over sockets 512 KiB), so it may end before its `limit`.',
    payload: z.strictObject(graphFields),
    answer: graphPage,
    errors: ['bad_request.invalid_after'],
    level: ANYBODY,
    rules: ['EVT3', 'GEN11', 'NGET3', 'ACL1', 'ACL6'],
    example: { limit: 100 },
  },
  'branch:get': {
    ...READ,
    name: 'branch:get',
    transports: { rest: { method: 'GET', path: '/api/branch' }, socket: { implied: 'root' } },
    summary: 'Reads a page of a published branch by its token, or of any visible branch by the id of its root.',
    description: 'Pages are those of `graph:get`. Readers without an account see no people.',
    caller: 'reader',
    payload: z.strictObject({
      /** An anonymous socket may omit it: the gateway sets it to the socket's public token. */
      root: text(200, 1).describe('A public token, or the id of a node.'),
      ...graphFields,
    }),
    answer: graphPage,
    errors: ['not_found', 'forbidden', 'bad_request.invalid_after'],
    level: { least: 'viewer', say: 'Viewer on the root, or its public token.' },
    rules: ['PUB3', 'PUB4', 'GEN7', 'EVT3', 'NGET3'],
    example: { root: EXAMPLE.node, limit: 100 },
  },
  'trash:page': {
    ...READ,
    name: 'trash:page',
    transports: { rest: { method: 'GET', path: '/api/trash' }, socket: {} },
    summary: 'Reads a page of the trash.',
    description: 'The nodes and links that the caller may restore, together, newest first.',
    payload: z.strictObject({ ...paged(1_000, 100), fields: selectedFields }),
    answer: trashPageAnswer,
    errors: [],
    level: ANYBODY,
    rules: ['TRS2', 'EVT3', 'GEN11', 'NGET3'],
    example: { limit: 100 },
  },
  'history:page': {
    ...READ,
    name: 'history:page',
    transports: {
      rest: { method: 'GET', path: '/api/history' },
      socket: { payload: z.strictObject({ scopeType, scopeId, ...historyFields }) },
    },
    summary: 'Reads a page of the history.',
    description:
      'Batches with the operations on entities that are visible to the caller now. Over REST the scope is optional; without it, the page covers everything visible to the caller. Over sockets the scope is required. With `order: "oldest"` a caller follows history: `next` is always given, and no batch is skipped or comes twice. A batch is shown there 10 seconds after its `ts`, and later while a large command runs. A follower is not shown batches that become visible to them only after they have passed their place.',
    payload: z.strictObject({ scopeType: scopeType.optional(), scopeId: scopeId.optional(), ...historyFields }),
    check: checkHistory,
    answer: historyPageAnswer,
    errors: ['bad_request.invalid_scope', 'bad_request.invalid_after'],
    level: ANYBODY,
    rules: ['HIS1', 'HIS7', 'HIS8', 'HISX1', 'HISX2'],
    example: { scopeType: 'NODE', scopeId: EXAMPLE.node },
  },
  'changes:get': {
    ...READ,
    name: 'changes:get',
    // The position of a reader of many feeds is too long for a query string.
    transports: {
      rest: { method: 'GET', path: '/api/changes', alsoPost: true, onlyInBody: ['heard'], waits: true },
      // A socket receives pushes instead of waiting.
      socket: { payload: z.strictObject(changesFields) },
    },
    summary: 'Reads the changes since a position.',
    description:
      "The present state of the changed entities: whole nodes and links, the ids of those that left the caller's graph, and the feeds that the caller gained or lost. If the service cannot tell every change, it answers `resetRequired`. A position of many feeds is too long for a query string: POST does the same as GET. Over REST the call can wait for a change with `wait`.",
    payload: z.strictObject({
      ...changesFields,
      wait: z
        .int()
        .min(1)
        .max(LONGEST_WAIT_SECONDS)
        .optional()
        .describe(
          'Seconds. While nothing has changed, the service delays the answer until something changes, for at most this time. A page by `cursor` does not wait.',
        ),
    }),
    answer: changes,
    errors: [],
    level: ANYBODY,
    rules: ['EVT2', 'GEN11', 'NGET3', 'ACL2', 'ACL9', 'LONG1'],
    example: { since: EXAMPLE.position },
  },
} as const satisfies Record<string, Operation>;
