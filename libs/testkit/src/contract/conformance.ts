// Compares answers and pushes with the declarations in libs/wire/src/operations. Every field must
// be declared, and every code listed.

import type { ReplyMessage } from '@taskgraph/wire/bus/calls';
import type { SliceMessage } from '@taskgraph/wire/bus/feed-messages';
import { httpStatusOf } from '@taskgraph/wire/error-codes';
import { type DetailNames, detailsOf } from '@taskgraph/wire/error-details';
import { health, refusal } from '@taskgraph/wire/operations/answers';
import { type ErrorName, errorsOf, type Operation, routesOf } from '@taskgraph/wire/operations/operation';
import { operationOf, operations } from '@taskgraph/wire/operations/operations';
import { connectError, PUSHES, type PushName } from '@taskgraph/wire/operations/pushes';
import { z } from 'zod';

/** The faults of an answer or a push, one text each. */
export type FaultTexts = readonly string[];

/** The longest part of a body that a fault shows. */
const SHOWN_CHARACTERS = 600;

type Path = readonly PropertyKey[];
type IsAllowed = (path: Path) => boolean;

function faultsOf(what: string, schema: z.ZodType, body: unknown, isAllowed: IsAllowed = () => false): FaultTexts {
  const { success, error } = schema.safeParse(body);
  if (success) return [];
  const issues = nearest(error.issues, isAllowed);
  if (issues.length === 0) return [];
  const shown = JSON.stringify(body)?.slice(0, SHOWN_CHARACTERS);
  return [`${what} does not fit its schema:\n${z.prettifyError({ issues })}\n${shown}`];
}

/** The issues of the nearest form of a union, if no form fits, without the allowed ones. */
function nearest(issues: readonly z.core.$ZodIssue[], isAllowed: IsAllowed, base: Path = []): z.core.$ZodIssue[] {
  return issues.flatMap((issue) => {
    const path = [...base, ...issue.path];
    if (isAllowed(path)) return [];
    if (issue.code !== 'invalid_union' || issue.errors.length === 0) return [issue];
    const forms = issue.errors.map((form) => nearest(form, isAllowed, path));
    const [best = []] = forms.sort((one, other) => weight(one) - weight(other));
    return best.map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] }));
  });
}

/** Whether a path is that of a field that a node may lack, if its caller selects fields (NGET3). */
function unselectedIn(body: unknown): IsAllowed {
  const nodes = (body as { readonly nodes?: unknown } | null)?.nodes;
  return ([list, at, name, ...deeper]) => {
    if (list !== 'nodes' || !Array.isArray(nodes) || deeper.length > 0) return false;
    const node: unknown = nodes[Number(at)];
    const isOptional = typeof name === 'string' && name !== 'id' && name !== 'version';
    return isOptional && typeof node === 'object' && node !== null && !Object.hasOwn(node, name);
  };
}

function weight(issues: readonly z.core.$ZodIssue[]): number {
  return issues.reduce((sum, issue) => sum + (issue.code === 'unrecognized_keys' ? issue.keys.length : 1), 0);
}

/** A refusal's body. Its code must be one of these; null permits every code. */
function faultsOfRefusal(what: string, body: unknown, errors: readonly ErrorName[] | null): FaultTexts {
  const faults = faultsOf(what, refusal, body);
  if (faults.length > 0 || errors === null) return faults;
  const { error: code, details = {} } = body as { error: string; details?: object };
  const isListed = errors.some((listed) => {
    const [family, rest] = listed.split('<field>');
    return rest === undefined ? listed === code : code.startsWith(family ?? '');
  });
  return [
    ...(isListed ? [] : [`${what} is refused as ${code}, which is not among its errors in libs/wire/src/operations`]),
    ...faultsOfDetails(`${what}, ${code},`, detailsOf(code), Object.keys(details)),
  ];
}

/** Undeclared or missing names in details (WHY4). */
function faultsOfDetails(what: string, { always, sometimes }: DetailNames, names: readonly string[]): FaultTexts {
  const unknown = names.filter((name) => ![...always, ...sometimes, 'index'].includes(name));
  const missing = always.filter((name) => !names.includes(name));
  return [
    ...unknown.map((name) => `${what} has details.${name}, which libs/wire/src/error-details.ts does not declare`),
    ...missing.map((name) => `${what} lacks details.${name}, which libs/wire/src/error-details.ts declares`),
  ];
}

/** Whether the payload of a call selects fields of nodes (NGET3). */
export function isSelective(payload: unknown): boolean {
  return typeof payload === 'object' && payload !== null && Object.hasOwn(payload, 'fields');
}

/** The ack of an event. */
export function faultsOfAck(event: string, body: unknown, selects = false): FaultTexts {
  const operation = operationOf(event);
  if (isRefused(body) || operation === undefined) {
    return faultsOfRefusal(`the ack of ${event}`, body, operation === undefined ? null : errorsOf(operation, 'socket'));
  }
  return faultsOfAnswer(`the ack of ${event}`, operation, body, selects);
}

/** A push. An undeclared event is a fault. */
export function faultsOfPush(name: string, body: unknown): FaultTexts {
  if (!Object.hasOwn(PUSHES, name)) return [`the push ${name} is not declared in libs/wire/src/operations/pushes.ts`];
  return faultsOf(`the push ${name}`, PUSHES[name as PushName].payload, body);
}

/** The data of a refused connection. */
export function faultsOfConnectError(data: unknown): FaultTexts {
  return faultsOf('a connect_error', connectError, data);
}

const HEALTH_PATH = '/api/health';
const routes = new Map<string, Operation>();
for (const operation of operations) {
  for (const { method, path } of routesOf(operation)) routes.set(`${method} ${path}`, operation);
}

/** The JSON answer of a route. */
export function faultsOfResponse(
  method: string,
  path: string,
  status: number,
  body: unknown,
  selects = false,
): FaultTexts {
  const what = `the answer of ${method} ${path}`;
  const route = routes.get(`${method} ${path}`);
  if (isRefused(body)) {
    const errors = route === undefined ? null : errorsOf(route, 'rest');
    const { error } = body as { error: string };
    const isOfCode = status === httpStatusOf(error);
    // A refused navigation leads to the sign-in form (CON43).
    const isRedirect = status === 303 && route !== undefined && !isJson(route);
    const wrongStatus = isOfCode || isRedirect ? [] : [`${what} has status ${status} with ${error}`];
    return [...faultsOfRefusal(what, body, errors), ...wrongStatus];
  }
  if (path === HEALTH_PATH) return faultsOf(what, health, body);
  if (route === undefined) return [`${what} is ${status}, and there is no such route`];
  const wrongStatus = status === 200 || !isJson(route) ? [] : [`${what} has status ${status}`];
  return [...wrongStatus, ...faultsOfAnswer(what, route, body, selects)];
}

/** A redirect has no body to check. */
function faultsOfAnswer(what: string, { answer }: Operation, body: unknown, selects: boolean): FaultTexts {
  if (!(answer instanceof z.ZodType)) return [];
  return faultsOf(what, answer, body, selects ? unselectedIn(body) : undefined);
}

function isJson({ answer }: Operation): boolean {
  return answer instanceof z.ZodType;
}

function isRefused(body: unknown): boolean {
  return typeof body === 'object' && body !== null && (body as { ok?: unknown }).ok === false;
}

const TRACE_ID = '0'.repeat(32);

/**
 * Returns a worker's reply to a call. Throws if it does not fit. The gateways' own reads are not
 * checked.
 */
export function conformingReply(event: string, reply: ReplyMessage, payload?: unknown): ReplyMessage {
  const operation = operationOf(event);
  if (operation === undefined) return reply;
  // The work is for the gateway, which counts it and does not forward it.
  const { work: _work, ...told } = reply;
  const body = told.ok ? { ok: true, ...told.body, trace_id: TRACE_ID } : { ...told, trace_id: TRACE_ID };
  const errors: FaultTexts = reply.ok
    ? faultsOfAnswer(`the reply to ${event}`, operation, body, isSelective(payload))
    : faultsOfRefusal(`the reply to ${event}`, body, [
        ...errorsOf(operation, 'rest'),
        ...errorsOf(operation, 'socket'),
      ]);
  if (errors.length > 0) throw new Error(errors.join('\n'));
  return reply;
}

/** Throws if a slice would reach sockets in an undeclared form. */
export function expectConforming(slices: readonly SliceMessage[]): void {
  const faults = slices.flatMap(({ feed, seq, diff, access = [] }) => [
    ...faultsOfPush('graph:diff', { ...diff, feed, seq }),
    ...access.flatMap((change) => faultsOfPush('access:changed', { ...change, seq })),
  ]);
  if (faults.length > 0) throw new Error(faults.join('\n'));
}
