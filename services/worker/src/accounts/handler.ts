// The parts of every account operation of a worker.
import { ACCOUNT_CALLS, type AccountAnswer, type AccountEvent, type AccountPayload } from '@taskgraph/wire/accounts';
import { type Refusal, refuse } from '@taskgraph/wire/errors';
import type { ActingUser, ControlMessage, ReadMessage } from '@taskgraph/wire/messages';
import type { ReadEnvironment, ReadHandler } from '../reads/read-handler.ts';

export interface AccountEnvironment extends ReadEnvironment {
  /** Tells all gateways of tokens that have ended and users who were disabled. */
  readonly tell: (control: ControlMessage) => void;
  /** Told of what nobody with the secret of the gateways has asked for. */
  readonly onUnproven?: (message: ReadMessage) => void;
}

/** A payload that was checked, the moment, and for some who asks. */
interface Asked<E extends AccountEvent> {
  readonly payload: AccountPayload<E>;
  /** ISO 8601 UTC with milliseconds. */
  readonly now: string;
}

type AccountResult<E extends AccountEvent> = Promise<AccountAnswer<E> | Refusal>;

/** A handler of one event; like a reading, it rejects on bugs and on a database that is away. */
export type AccountHandler = (
  message: Parameters<ReadHandler>[0],
  environment: AccountEnvironment,
) => Promise<Record<string, unknown> | Refusal>;

/** A handler that nobody has to be known for. */
export function handle<E extends AccountEvent>(
  event: E,
  work: (asked: Asked<E>, environment: AccountEnvironment) => AccountResult<E>,
): AccountHandler {
  return async (message, environment) => {
    // Payloads are checked here too: the bus is not trusted with shapes.
    const payload = ACCOUNT_CALLS[event].payload.safeParse(message.payload);
    if (!payload.success) return refuse('bad_request', `The payload of ${event} is malformed.`);
    const now = new Date(environment.nowMs()).toISOString();
    return work({ payload: payload.data as AccountPayload<E>, now }, environment);
  };
}

/** A handler of what a user asks for themselves. */
export function handleFor<E extends AccountEvent>(
  event: E,
  work: (asked: Asked<E> & { actor: ActingUser }, environment: AccountEnvironment) => AccountResult<E>,
): AccountHandler {
  return async (message, environment) => {
    const { actor } = message;
    if (actor === null) return refuse('unauthorized', 'This needs a user.');
    return handle(event, (asked, surroundings) => work({ ...asked, actor }, surroundings))(message, environment);
  };
}

/** Tells gateways of tokens that have ended, if there are any. */
export function tellOfEnded({ tell }: AccountEnvironment, tokens: readonly string[]): void {
  if (tokens.length > 0) tell({ readers: [], feeds: [], tokens: [...tokens] });
}
