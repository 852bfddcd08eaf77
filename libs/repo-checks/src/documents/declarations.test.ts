// The declarations of operations are consistent with each other and with other tables.
import { readFileSync } from 'node:fs';
import { limitsOf } from '@taskgraph/commands/rate-limits';
import { ERRORS } from '@taskgraph/wire/error-codes';
import { isRefusal } from '@taskgraph/wire/errors';
import { type ErrorName, errorsOf } from '@taskgraph/wire/operations/operation';
import { OPERATIONS, operations, socketOperations } from '@taskgraph/wire/operations/operations';
import { parsePayload } from '@taskgraph/wire/operations/payload-parser';
import { expect, test } from 'vitest';
import { citations, isRule } from '../tidy/rules.ts';

test('each operation is declared under its own name', () => {
  expect(operations.map(({ name }) => name)).toEqual(Object.keys(OPERATIONS));
});

test.each(operations)('the example of $summary fits its payload', (operation) => {
  const parsed = parsePayload(operation, operation.example);
  expect(isRefusal(parsed) ? parsed : null).toBeNull();
});

test('the rules of declarations exist, and those of a command equal those at the top of its file', () => {
  for (const { rules } of operations) expect(rules.filter((rule) => !isRule(rule))).toEqual([]);
  const folders: Record<string, string> = { link: 'link', batch: 'history' };
  for (const { name: event, rules } of socketOperations.filter(({ kind }) => kind === 'command')) {
    const [subject = ''] = event.split(':');
    const isSharing = /^node:(access|showing|publish|unpublish)/.test(event);
    const own = event === 'batch:run' ? 'batch' : event.startsWith('node:claim') ? 'claim' : null;
    const folder = isSharing ? 'sharing' : (own ?? folders[subject] ?? 'node');
    const path = `../../../commands/src/${folder}/${event.replaceAll(':', '-')}.ts`;
    const [head = ''] = readFileSync(new URL(path, import.meta.url), 'utf8').split('\n');
    // A range consists of its first and last rule.
    expect(rules, event).toEqual(expect.arrayContaining(citations(head)));
  }
});

test('[GEN3] each code of the table belongs to an operation, path or connection', () => {
  const ofConnections: ErrorName[] = [
    'internal' as const,
    'unauthorized.late' as const,
    'unavailable.slow_reader' as const,
    'bad_request.unknown_event' as const,
    'bad_request.missing_ack' as const,
    'bad_request.invalid_packet' as const,
    'bad_request.method' as const,
  ];
  const overRest = operations.flatMap((operation) => errorsOf(operation, 'rest'));
  const overSockets = socketOperations.flatMap((operation) => errorsOf(operation, 'socket'));
  const named = new Set([...ofConnections, ...overRest, ...overSockets]);
  expect(Object.keys(ERRORS).filter((code) => !named.has(code as ErrorName))).toEqual([]);
});

test('[LIM1] each call counts for a limit over both transports', () => {
  for (const { name } of socketOperations)
    for (const transport of ['rest', 'socket'] as const) expect(limitsOf(transport, name)).not.toEqual([]);
});
