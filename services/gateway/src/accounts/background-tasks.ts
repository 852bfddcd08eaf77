// Runs work after the response, so that response time leaks nothing. The work is bounded and
// audited, and a stopping gateway waits for it.
import type { Audit, AuditEvent, AuditFacts } from '@taskgraph/runtime/telemetry/audit';
import { type Refusal, refuse } from '@taskgraph/wire/errors';
import type { InFlight } from '../calls/in-flight.ts';

/** Tasks in progress at once; past it a task is refused. */
const MAXIMUM_TASKS = 100;

interface BackgroundTask {
  readonly event: AuditEvent;
  readonly what: AuditFacts;
  readonly traceId: string;
}

/**
 * Starts a task, which resolves to its outcome for the audit log. Refuses it as `unavailable` past
 * the bound.
 */
export type RunInBackground = (task: BackgroundTask, work: () => Promise<string>) => Refusal | null;

interface BackgroundTasksOptions {
  readonly inFlight: InFlight;
  readonly audit: Audit;
  readonly log: { error(fields: object, message: string): void };
}

export function createBackgroundTasks({ inFlight, audit, log }: BackgroundTasksOptions): RunInBackground {
  let underWay = 0;
  return (task, work) => {
    if (underWay >= MAXIMUM_TASKS) return tooMuch;
    underWay++;
    const finished = inFlight.begin();
    work()
      .catch((error: unknown) => {
        log.error({ error, traceId: task.traceId }, 'a background task failed');
        return 'internal.exception';
      })
      .then((outcome) => audit({ ...task, outcome, who: null, from: 'gateway' }))
      .finally(() => {
        underWay--;
        finished();
      });
    return null;
  };
}

const tooMuch = refuse('unavailable', 'The service is too busy; try again in a moment.', { outcome: 'not_done' });
