// Does what an answer must not wait for, since its time would tell something; bounded, waited for at the end, and told to the audit log.
import type { Audit, AuditEvent, AuditFacts } from '@taskgraph/runtime/telemetry/audit';
import { type Refusal, refuse } from '@taskgraph/wire/errors';
import type { InFlight } from '../calls/in-flight.ts';

/** Works that may be under way at once; past it whatever asks for one is refused. */
const MOST_UNDER_WAY = 100;

interface LaterWork {
  readonly event: AuditEvent;
  readonly what: AuditFacts;
  readonly traceId: string;
}

/** Begins a work, which gives its outcome for the audit log. `unavailable` where too much is under way, whatever the work would be. */
export type Later = (told: LaterWork, work: () => Promise<string>) => Refusal | null;

interface Options {
  readonly inFlight: InFlight;
  readonly audit: Audit;
  readonly log: { error(fields: object, message: string): void };
}

export function createLater({ inFlight, audit, log }: Options): Later {
  let underWay = 0;
  return (told, work) => {
    if (underWay >= MOST_UNDER_WAY) return tooMuch;
    underWay++;
    const finished = inFlight.begin();
    work()
      .catch((error: unknown) => {
        log.error({ error, traceId: told.traceId }, 'what was put off has failed');
        return 'internal.exception';
      })
      .then((outcome) => audit({ ...told, outcome, who: null, from: 'gateway' }))
      .finally(() => {
        underWay--;
        finished();
      });
    return null;
  };
}

const tooMuch = refuse('unavailable', 'The service is too busy; try again in a moment.', { outcome: 'not_done' });
