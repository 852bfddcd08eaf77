// Expires claims whose end has passed, by commands, so that history and feeds record it. A claim has
// no effect from its end on; the expiry only makes that visible. Rule: CLAIM3.
import type { Database } from '@taskgraph/graph-store/driver/database';
import { type EndedClaim, listEndedClaims } from '@taskgraph/graph-store/maintenance/ended-claims';
import type { Log } from '@taskgraph/runtime/telemetry/log';
import { count } from './metrics.ts';
import type { SendAsSystem } from './system-commands.ts';

const PAGE = 500;
/** Pages of one run; the next run continues. */
const MAXIMUM_PAGES = 40;
/** Commands in flight. */
const AT_ONCE = 8;
const MOST_FAILURES = 16;

interface ExpiryContext {
  readonly database: Database;
  readonly send: SendAsSystem;
  readonly log: Log;
  readonly stopping: AbortSignal;
}

/**
 * Expires the claims that ended by `until` (ISO 8601). Counts `expired_claims` and `failed_claims`. After a
 * page with a failure it leaves the rest to the next run: each failure may last as long as a
 * command's deadline, and the other sweeps wait.
 */
export async function expireEndedClaims(context: ExpiryContext, until: string): Promise<void> {
  const { database, stopping } = context;
  let after: EndedClaim | null = null;
  for (let pages = 0; pages < MAXIMUM_PAGES && !stopping.aborted; pages++) {
    const page: EndedClaim[] = await listEndedClaims(database, { until, after, limit: PAGE });
    const isExpired = await expireAll(context, page);
    after = page.at(-1) ?? null;
    if (page.length < PAGE || !isExpired) return;
  }
}

/** Whether none failed. After some failures no further claim is tried. */
async function expireAll({ send, log, stopping }: ExpiryContext, claims: readonly EndedClaim[]): Promise<boolean> {
  const waiting = [...claims];
  let failures = 0;
  const isOver = () => stopping.aborted || failures >= MOST_FAILURES;
  const work = async () => {
    for (let claim = waiting.shift(); claim !== undefined && !isOver(); claim = waiting.shift()) {
      const { id } = claim;
      try {
        if ((await send('node:claim:expire', { id })) === 'done') count('sweep', 'expired_claims');
      } catch (error) {
        failures++;
        count('sweep', 'failed_claims');
        log.warn({ error, id }, 'an ended claim could not be expired');
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return failures === 0;
}
