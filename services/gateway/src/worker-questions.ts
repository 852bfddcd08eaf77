// Questions of the gateway itself to the workers: whose token it is, how far feeds are, who reads them, which tokens still count.
import type { Requester } from '@taskgraph/bus/requests/request';
import { type Refusal, refusalOf, refuse } from '@taskgraph/wire/errors';
import type { GatewayRead } from '@taskgraph/wire/gateway-reads';
import type { ActingUser } from '@taskgraph/wire/messages';
import type { z } from 'zod';
import { traceIdOf } from './trace.ts';

/** An answer to a question on behalf of no caller that takes longer is given up: all of them are asked again. */
const ANSWER_LIMIT_MS = 3_000;

interface Options {
  readonly requester: Pick<Requester, 'read'>;
  readonly log: { error(fields: object, message: string): void };
  /** Counts an answer of another shape than was asked for. */
  readonly onMalformed: (event: GatewayRead) => void;
}

/** The caller on whose behalf a question is asked. */
export interface Asker {
  /** Null where nobody is known yet, or need be. */
  readonly actor: ActingUser | null;
  readonly traceId: string;
  /** Milliseconds for which they wait. */
  readonly deadlineMs: number;
}

/** Asks a worker. An answer that does not fit the schema is a refusal: it must not end the gateway. */
export type AskWorkers = <Answer>(
  event: GatewayRead,
  payload: Record<string, unknown>,
  schema: z.ZodType<Answer>,
  asker?: Asker,
) => Promise<Answer | Refusal>;

export function createAskWorkers({ requester, log, onMalformed }: Options): AskWorkers {
  return async (event, payload, schema, asker) => {
    const { actor, traceId, deadlineMs } = asker ?? nobody();
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

/** On behalf of no caller, or of many. */
export function nobody(deadlineMs = ANSWER_LIMIT_MS): Asker {
  return { actor: null, traceId: traceIdOf(undefined), deadlineMs };
}
