// Every message on the bus fits a closed schema at every depth. A client's message with undeclared
// fields is refused; fields that a newer service adds are dropped (libs/wire/src/bus).
// Rule: GEN4.

import { commands, systemCommands } from '@taskgraph/commands/commands';
import type { AnyDefinition } from '@taskgraph/commands/pipeline/command';
import { ACCOUNT_MESSAGES } from '@taskgraph/wire/bus/account-messages';
import { commandMessage, readMessage, replyMessage } from '@taskgraph/wire/bus/calls';
import { expirationsMessage } from '@taskgraph/wire/bus/expirations';
import { controlMessage, slicesMessage } from '@taskgraph/wire/bus/feed-messages';
import {
  calendarMatches,
  GATEWAY_READS,
  publicFeeds,
  readersFeeds,
  resolvedTokens,
} from '@taskgraph/wire/bus/gateway-reads';
import { isRefusal } from '@taskgraph/wire/errors';
import { socketOperations } from '@taskgraph/wire/operations/operations';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { jobOf } from '../commit/job.ts';
import { readChanges } from '../reads/changes/read-changes.ts';
import { readFind } from '../reads/find/read-find.ts';
import { readHistory } from '../reads/history/read-history.ts';
import { readAccessList } from '../reads/read-access.ts';
import { readBranch } from '../reads/read-branch.ts';
import { readGraph } from '../reads/read-graph.ts';
import type { ReadAttempt } from '../reads/read-handler.ts';
import { readNodes } from '../reads/read-nodes.ts';
import { readPlan } from '../reads/read-plan.ts';
import { readTrash } from '../reads/read-trash.ts';
import { readWhy } from '../reads/why/read-why.ts';
import { pagesOf } from './support/whole-reads.ts';

const ACTOR = { id: '01890000-0000-7000-8000-000000000001', username: 'ann', email: 'ann@example.com' };
const SURPLUS = { surplus: true };

/**
 * The open places below a schema: open objects, records, and values of any kind. Between services,
 * an object that drops unknown fields counts as closed.
 */
function openPlaces(schema: z.core.$ZodType, by: 'clients' | 'services', path = ''): string[] {
  const { def } = schema._zod as unknown as { def: Record<string, unknown> & { type: string } };
  const below = (value: unknown, more = '') => openPlaces(value as z.core.$ZodType, by, path + more);
  switch (def.type) {
    case 'object': {
      const catchall = def.catchall as z.core.$ZodType | undefined;
      const isClosed = catchall?._zod.def.type === 'never' || (by === 'services' && catchall === undefined);
      const fields = Object.entries(def.shape as object).flatMap(([name, field]) => below(field, `.${name}`));
      return isClosed ? fields : [path, ...fields];
    }
    case 'array':
      return below(def.element, '[]');
    case 'union':
      return (def.options as unknown[]).flatMap((option) => below(option));
    case 'optional':
    case 'nullable':
    case 'default':
    case 'readonly':
      return below(def.innerType);
    case 'pipe':
      return [...below(def.in), ...below(def.out)];
    case 'string':
    case 'number':
    case 'boolean':
    case 'literal':
    case 'enum':
    case 'null':
    case 'transform':
      return [];
    default:
      return [path];
  }
}

const messages: [what: string, schema: z.ZodType, open: string[]][] = [
  ['commands, whose payload has a schema of its own', commandMessage, ['.payload']],
  ['reads, whose payload has a schema of its own', readMessage, ['.payload']],
  ['answers, of which clients get the body as it is', replyMessage, ['.body', '.details']],
  ['slices, of which clients get the diff as it is', slicesMessage, ['.slices[].diff']],
  ['control', controlMessage, []],
  ['expirations', expirationsMessage, []],
  ['the answer of tokens:resolve', resolvedTokens, []],
  ['the answer of calendars:resolve', calendarMatches, []],
  ['the answer of readers:feeds', readersFeeds, []],
  ['the answer of public:feeds', publicFeeds, []],
];
test.each(messages)('[GEN4] %s: only objects declared as open accept unknown fields', (_what, schema, open) => {
  expect(openPlaces(schema, 'services')).toEqual(open);
});

test('[GEN4] an answer of either kind has no unknown fields', () => {
  const [done, refused] = [
    { ok: true, body: {} },
    { ok: false, error: 'not_found', message: 'No.' },
  ];
  for (const answer of [done, refused]) {
    expect(replyMessage.safeParse(answer).success).toBe(true);
    expect(replyMessage.parse({ ...answer, ...SURPLUS })).toEqual(answer);
  }
});

describe('[GEN4] the payload has no unknown fields', () => {
  test.each(Object.entries(ACCOUNT_MESSAGES))(
    'of the account operation %s, and neither has its answer',
    (_event, call) => {
      for (const schema of [call.payload, call.answer]) expect(openPlaces(schema, 'services')).toEqual([]);
    },
  );

  test.each(Object.entries(GATEWAY_READS))('of the gateways’ own read %s', (_event, schema) => {
    expect(openPlaces(schema, 'services')).toEqual([]);
  });

  const definitions: readonly AnyDefinition[] = [...commands, ...systemCommands];
  test.each(definitions)('of the command $name', (command) => {
    const event = command.name;
    // The schema of an operation's event checks its payload.
    const open = event === 'batch:run' ? ['.operations[].payload'] : [];
    expect(openPlaces(command.payload, 'clients')).toEqual(open);
    const id = '01890000-0000-7000-8000-00000000000a';
    const message = { id, event, payload: SURPLUS, actor: ACTOR, key: null, deadline: 1, traceId: 't' };
    const job = jobOf(message, command, () => undefined);
    expect(isRefusal(job) && job.code).toBe('bad_request.unknown_field');
  });

  const reads = socketOperations.filter(({ kind }) => kind === 'read');
  test.each(reads)('of the read $name', ({ payload, transports }) => {
    expect(openPlaces(payload, 'clients')).toEqual([]);
    expect(openPlaces(transports.socket?.payload ?? payload, 'clients')).toEqual([]);
  });

  const readHandlers: Record<string, ReadAttempt> = {
    'graph:get': readGraph,
    'node:get': readNodes,
    'node:find': readFind,
    'branch:get': readBranch,
    'trash:page': readTrash,
    'node:access:list': readAccessList,
    'history:page': readHistory,
    'changes:get': readChanges,
    'graph:plan': readPlan,
    'node:why': readWhy,
  };
  test.each(Object.entries(readHandlers))('which a worker checks before any look-up: %s', async (event, read) => {
    const message = { event, payload: SURPLUS, actor: ACTOR, deadline: 1, traceId: 't' };
    // There is no database: a read would fail.
    const environment = { database: undefined as never, secret: '', nowMs: () => 0, pages: pagesOf() };
    const answer = await read(message, environment);
    const expected = event in GATEWAY_READS ? 'bad_request' : 'bad_request.unknown_field';
    expect(isRefusal(answer) && answer.code).toBe(expected);
  });

  test('and each read of the catalog is one of these', () => {
    expect(reads.map(({ name }) => name).filter((name) => !Object.hasOwn(readHandlers, name))).toEqual([]);
  });
});

test('the test finds open objects', () => {
  const closed = z.strictObject({ a: z.array(z.strictObject({ b: z.union([z.string(), z.null()]) })).optional() });
  expect(openPlaces(closed, 'clients')).toEqual([]);
  const open = z.strictObject({
    a: z.array(z.object({ b: z.unknown() })),
    c: z.record(z.string(), z.string()).nullable(),
  });
  expect(openPlaces(open, 'clients')).toEqual(['.a[]', '.a[].b', '.c']);
  expect(openPlaces(open, 'services')).toEqual(['.a[].b', '.c']);
});
