// The interface of account operations in a worker.

import type { ActingUser } from '@taskgraph/wire/actor';
import {
  ACCOUNT_MESSAGES,
  type AccountAnswer,
  type AccountEvent,
  type AccountPayload,
} from '@taskgraph/wire/bus/account-messages';
import type { ReadMessage } from '@taskgraph/wire/bus/calls';
import type { ControlMessage } from '@taskgraph/wire/bus/feed-messages';
import { type Refusal, refuse } from '@taskgraph/wire/errors';
import type { ReadEnvironment, ReadHandler } from '../reads/read-handler.ts';
import type { SharedSurvey } from '../status/shared-survey.ts';

export interface AccountEnvironment extends ReadEnvironment {
  /** Publishes ended tokens and disabled users to all gateways. */
  readonly publishControl: (control: ControlMessage) => void;
  /** Requests the reports of the running services. */
  readonly survey: SharedSurvey;
  /** Called for each request without the secret of the gateways. */
  readonly onUnproven?: (message: ReadMessage) => void;
}

/** A checked payload and the time of the request. */
interface AccountRequest<E extends AccountEvent> {
  readonly payload: AccountPayload<E>;
  /** ISO 8601 UTC with milliseconds. */
  readonly now: string;
}

type AccountResult<E extends AccountEvent> = Promise<AccountAnswer<E> | Refusal>;

/**
 * A handler of one event. Like a read it rejects on bugs, and while the database is unreachable.
 */
export type AccountHandler = (
  message: Parameters<ReadHandler>[0],
  environment: AccountEnvironment,
) => Promise<Record<string, unknown> | Refusal>;

/** A handler that needs no user. */
export function handle<E extends AccountEvent>(
  event: E,
  work: (request: AccountRequest<E>, environment: AccountEnvironment) => AccountResult<E>,
): AccountHandler {
  return async (message, environment) => {
    // The worker checks payloads too, because it does not trust the bus.
    const payload = ACCOUNT_MESSAGES[event].payload.safeParse(message.payload);
    if (!payload.success) return refuse('bad_request', `The payload of ${event} is malformed.`);
    const now = new Date(environment.nowMs()).toISOString();
    return work({ payload: payload.data as AccountPayload<E>, now }, environment);
  };
}

/** A handler that acts for the calling user. */
export function handleFor<E extends AccountEvent>(
  event: E,
  work: (request: AccountRequest<E> & { actor: ActingUser }, environment: AccountEnvironment) => AccountResult<E>,
): AccountHandler {
  return async (message, environment) => {
    const { actor } = message;
    if (actor === null) return refuse('unauthorized', 'This needs a user.');
    return handle(event, (request, inner) => work({ ...request, actor }, inner))(message, environment);
  };
}

/** The answer if the session or token of a call ended before the call was executed. */
export const endedCaller = refuse('unauthorized', 'The session or token has ended.');

/** Publishes ended tokens to the gateways, if there are any. */
export function publishEndedTokens({ publishControl }: AccountEnvironment, tokens: readonly string[]): void {
  if (tokens.length > 0) publishControl({ readers: [], feeds: [], tokens: [...tokens] });
}
