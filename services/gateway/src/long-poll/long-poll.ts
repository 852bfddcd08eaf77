// The long polls of a gateway: its waiting calls, the followers that wake them, and their quotas.
// Rules: LONG1, LONG2.
import type { Limits } from '../limits/limits.ts';
import type { TokenWatch } from '../realtime/token-watch.ts';
import { type ConnectionQuotaBounds, createConnectionQuotas } from '../socket/connection-quotas.ts';
import { createFollowers, type FollowersOptions } from './followers.ts';
import type { WaitingLog } from './waiting-call.ts';
import { createWaitingCalls } from './waiting-calls.ts';

export interface LongPollBounds {
  /** The most waiting calls of the gateway. */
  readonly most: number;
  readonly quotas: ConnectionQuotaBounds<'waiting'>;
}

interface LongPollOptions extends FollowersOptions {
  readonly bounds: LongPollBounds;
  readonly tokens: Pick<TokenWatch, 'enter' | 'leave'>;
  readonly limits: Pick<Limits, 'id' | 'run' | 'gateways'>;
  readonly log: WaitingLog;
}

export function createLongPoll({ bounds, tokens, limits, log, ...options }: LongPollOptions) {
  const followers = createFollowers(options);
  const quotas = createConnectionQuotas({ kind: 'waiting', bounds: bounds.quotas, limits });
  const calls = createWaitingCalls({ followers, tokens, quotas, most: bounds.most, log });
  return {
    deliveryWith: followers.deliveryWith,
    noteHead: followers.noteHead,
    answer: calls.answer,
    drain: calls.drain,
    count: calls.count,
    /** Refused calls, by limit. */
    refused: () => ({ ...calls.refused, ...quotas.refused }),
    stop(): void {
      followers.stop();
      quotas.stop();
    },
  };
}
