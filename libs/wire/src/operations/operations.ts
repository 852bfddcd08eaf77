// All calls by their events. The catalog of commands adds what each does; clients, documents and tests go by what stands here.
import type { z } from 'zod';
import { batchCalls } from './batch-calls.ts';
import type { Call } from './call.ts';
import { linkCalls } from './link-calls.ts';
import { nodeCalls } from './node-calls.ts';
import { planCalls } from './plan-calls.ts';
import { readCalls } from './read-calls.ts';
import { sharingCalls } from './sharing-calls.ts';
import { whyCalls } from './why-calls.ts';

export const CALLS = {
  ...nodeCalls,
  ...sharingCalls,
  ...linkCalls,
  ...batchCalls,
  ...readCalls,
  ...planCalls,
  ...whyCalls,
} as const satisfies Record<string, Call>;

export type CallName = keyof typeof CALLS;

/** The events of one kind. */
export type CallOf<K extends Call['kind']> = {
  [E in CallName]: (typeof CALLS)[E]['kind'] extends K ? E : never;
}[CallName];

/** The payload schema of an event. */
export type PayloadSchema<E extends CallName> = (typeof CALLS)[E]['payload'];

/** The answer of an event, without its `ok`. A union stays one. */
export type AnswerOf<E extends CallName> = WithoutOk<z.output<(typeof CALLS)[E]['answer']>>;
type WithoutOk<A> = A extends unknown ? Omit<A, 'ok'> : never;

/** The declaration of an event, or undefined where there is none. */
export function callOf(event: string): Call | undefined {
  return Object.hasOwn(CALLS, event) ? CALLS[event as CallName] : undefined;
}
