// The declarations of calls and routes themselves: whether what they say of each other and of other tables holds.
import { readFileSync } from 'node:fs';
import { parsePayload } from '@taskgraph/commands/payload';
import { limitsOf } from '@taskgraph/commands/rate-limits';
import type { AccountCall } from '@taskgraph/wire/calls/account-call';
import { ACCOUNT_ROUTES } from '@taskgraph/wire/calls/account-routes';
import { type Call, type ErrorName, errorsOf, errorsOfRoute } from '@taskgraph/wire/calls/call';
import { CALLS } from '@taskgraph/wire/calls/calls';
import { ERRORS } from '@taskgraph/wire/error-codes';
import { isRefusal } from '@taskgraph/wire/errors';
import { expect, test } from 'vitest';
import { citations, isRule } from '../tidy/rules.ts';

const calls = Object.values<Call>(CALLS);
const routes = Object.values<AccountCall>(ACCOUNT_ROUTES);

test('each is declared under its own name', () => {
  expect(calls.map(({ event }) => event)).toEqual(Object.keys(CALLS));
  expect(routes.map(({ name }) => name)).toEqual(Object.keys(ACCOUNT_ROUTES));
});

test.each([...calls, ...routes])('the example of $summary fits its payload', ({ payload, resource, example }) => {
  const parsed = payload === null ? {} : parsePayload({ payload, resource }, example);
  expect(isRefusal(parsed) ? parsed : null).toBeNull();
});

test('rules that are named exist, and those of a command are those at the top of its file', () => {
  for (const { rules } of [...calls, ...routes]) expect(rules.filter((rule) => !isRule(rule))).toEqual([]);
  const folders: Record<string, string> = { link: 'link', batch: 'history' };
  for (const { event, kind, rules } of calls) {
    const [subject = ''] = event.split(':');
    const isSharing = /^node:(access|showing|publish|unpublish)/.test(event);
    const isRun = event === 'batch:run';
    const folder = kind === 'read' ? 'reads' : isSharing ? 'sharing' : isRun ? subject : (folders[subject] ?? 'node');
    const path = `../../../commands/src/${folder}/${event.replaceAll(':', '-')}.ts`;
    const [head = ''] = readFileSync(new URL(path, import.meta.url), 'utf8').split('\n');
    // A range names its first and last.
    expect(rules, event).toEqual(expect.arrayContaining(citations(head)));
  }
});

test('[GEN3] each code of the table is one of some call, route, path or connection', () => {
  const ofConnections: ErrorName[] = [
    ...(['internal', 'unauthorized.late', 'unavailable.slow_reader', 'bad_request.unknown_event'] as const),
    ...(['bad_request.missing_ack', 'bad_request.invalid_packet', 'bad_request.method'] as const),
  ];
  const ofCalls = calls.flatMap((call) => [...errorsOf(call, 'rest'), ...errorsOf(call, 'socket')]);
  const named = new Set([...ofConnections, ...ofCalls, ...routes.flatMap(errorsOfRoute)]);
  expect(Object.keys(ERRORS).filter((code) => !named.has(code as ErrorName))).toEqual([]);
});

test('[LIM1] each call counts for a limit over both transports', () => {
  for (const { event } of calls)
    for (const transport of ['rest', 'socket'] as const) expect(limitsOf(transport, event)).not.toEqual([]);
});
