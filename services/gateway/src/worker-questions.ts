// Questions of the gateway itself to the workers, on behalf of no caller: how far feeds are, who reads them, which tokens still count.
import type { Requester } from '@taskgraph/bus/requests/request';
import { type Refusal, refusalOf, refuse } from '@taskgraph/wire/errors';
import type { GatewayRead } from '@taskgraph/wire/gateway-reads';
import type { z } from 'zod';
import { traceIdOf } from '../trace.ts';

/** An answer that takes longer is given up: all of these questions are asked again. */
const ANSWER_LIMIT_MS = 3_000;

interface Options {
  readonly requester: Pick<Requester, 'read'>;
  readonly log: { error(fields: object, message: string): void };
  /** Counts an answer of another shape than was asked for. */
  readonly onMalformed: (event: GatewayRead) => void;
}

/** Asks a worker. An answer that does not fit the schema is a refusal: it must not end the gateway. */
export type AskWorkers = <Answer>(
  event: GatewayRead,
  payload: Readonly<Record<string, unknown>>,
  schema: z.ZodType<Answer>,
) => Promise<Answer | Refusal>;

export function createAskWorkers({ requester, log, onMalformed }: Options): AskWorkers {
  return async (event, payload, schema) => {
    const deadline = Date.now() + ANSWER_LIMIT_MS;
    const reply = await requester.read({ event, payload, actor: null, deadline, traceId: traceIdOf(undefined) });
    if (!reply.ok) return refusalOf(reply);
    const { success, data, error } = schema.safeParse(reply.body);
    if (success) return data;
    onMalformed(event);
    log.error({ error, event }, 'the answer of a worker is malformed');
    return refuse('internal.broken_answer', 'The answer could not be read.');
  };
}
