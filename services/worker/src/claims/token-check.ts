// Whether the token of a claim is still valid, although the claim has waited. Rule: AUTH2.
import { findValidTokens } from '@taskgraph/graph-store/accounts/tokens';
import { failureOf } from '@taskgraph/graph-store/driver/failures';
import { type Refusal, refuse } from '@taskgraph/wire/errors';
import type { Job } from '../commit/job.ts';
import { nowOf, type ReadEnvironment } from '../reads/read-handler.ts';

/**
 * A claim that arrives needs no look-up for this long: its gateway looked up the token within the last
 * second, and the call that ends a token is answered a second and this time after the end.
 */
const UNCHECKED_MS = 10;
/** How long a look-up here counts, as in a gateway. */
const CHECKED_MS = 1_000;

interface TokenCheck {
  /** Null while the token is valid. Looks it up only after a wait. */
  check(): Promise<Refusal | null>;
}

/** Begins when the claim arrives. Gateways of the previous release name no token. */
export function createTokenCheck(
  environment: Pick<ReadEnvironment, 'database' | 'nowMs'>,
  { message }: Pick<Job, 'message'>,
): TokenCheck {
  const { callerToken } = message;
  let validUntilMs = performance.now() + UNCHECKED_MS;
  return {
    async check() {
      const beganMs = performance.now();
      if (callerToken === undefined || beganMs < validUntilMs) return null;
      try {
        const valid = await findValidTokens(environment.database, [callerToken], nowOf(environment));
        if (!valid.includes(callerToken)) return ended;
      } catch (error) {
        if (failureOf(error) === 'broken') throw error;
        return unknown;
      }
      validUntilMs = beganMs + CHECKED_MS;
      return null;
    },
  };
}

const ended = refuse('unauthorized', 'The token is no longer valid.');
const unknown = refuse('unavailable', 'The token could not be looked up; try again.', { outcome: 'not_done' });
