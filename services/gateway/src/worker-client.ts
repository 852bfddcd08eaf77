// The gateway's own reads from workers: token identities, feed heads, readers' feeds, and token
// checks.
import type { Requester } from '@taskgraph/bus/requests/request';
import type { ActingUser } from '@taskgraph/wire/actor';
import { refusalOf } from '@taskgraph/wire/bus/calls';
import type { GatewayRead } from '@taskgraph/wire/bus/gateway-reads';
import { type Refusal, refuse } from '@taskgraph/wire/errors';
import type { z } from 'zod';
import { traceIdOf } from './trace.ts';

/** The limit for a read without a caller, which is repeated later. */
const ANSWER_LIMIT_MS = 3_000;

interface WorkerClientOptions {
  readonly requester: Pick<Requester, 'read'>;
  readonly log: { error(fields: object, message: string): void };
  /** Counts an answer that does not fit its schema. */
  readonly onMalformed: (event: GatewayRead) => void;
}

/** The caller of a read. */
export interface QueryCaller {
  /** Null for the gateway itself. */
  readonly actor: ActingUser | null;
  readonly traceId: string;
  /** Milliseconds until the caller gives up. */
  readonly deadlineMs: number;
}

/**
 * Reads from a worker. An answer that does not fit the schema is a refusal and ends nothing else.
 */
export type AskWorkers = <Answer>(
  event: GatewayRead,
  payload: Record<string, unknown>,
  schema: z.ZodType<Answer>,
  caller?: QueryCaller,
) => Promise<Answer | Refusal>;

export function createAskWorkers({ requester, log, onMalformed }: WorkerClientOptions): AskWorkers {
  return async (event, payload, schema, caller) => {
    const { actor, traceId, deadlineMs } = caller ?? systemCaller();
    const deadline = Date.now() + deadlineMs;
    const reply = await requester.read({ event, payload, actor, deadline, traceId });
    if (!reply.ok) return refusalOf(reply);
    const { success, data, error } = schema.safeParse(reply.body);
    if (success) return data;
    onMalformed(event);
    log.error({ error, event, traceId }, 'the answer of a worker is malformed');
    return refuse('internal.broken_answer', 'The answer could not be read.');
  };
}

/** The gateway as the caller, for a read on behalf of no user or of many. */
export function systemCaller(deadlineMs = ANSWER_LIMIT_MS): QueryCaller {
  return { actor: null, traceId: traceIdOf(undefined), deadlineMs };
}
