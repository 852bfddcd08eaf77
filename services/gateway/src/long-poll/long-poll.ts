// The long polls of a gateway: its waiting calls, the followers that wake them, and their quotas.
// Rules: LONG1, LONG2.
import type { Authenticate } from '../auth/authentication.ts';
import type { Dispatch } from '../calls/dispatch.ts';
import type { Limits } from '../limits/limits.ts';
import type { TokenWatch } from '../realtime/token-watch.ts';
import { type ConnectionQuotaBounds, createConnectionQuotas } from '../socket/connection-quotas.ts';
import { createFollowers, type FollowersOptions } from './followers.ts';
import type { WaitingHost } from './waiting-call.ts';
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
  readonly authenticate: Authenticate;
  readonly dispatch: Dispatch;
  readonly log: WaitingHost['log'];
}

export function createLongPoll({ bounds, limits, ...options }: LongPollOptions) {
  const followers = createFollowers(options);
  const quotas = createConnectionQuotas({ kind: 'waiting', bounds: bounds.quotas, limits });
  const calls = createWaitingCalls({ followers, quotas, most: bounds.most, ...options });
  return {
    deliveryWith: followers.deliveryWith,
    noteHead: followers.noteHead,
    waitAfter: calls.waitAfter,
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
