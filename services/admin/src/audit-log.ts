// The audit log of administration commands, on standard error: standard output holds their results.
import { type AuditFacts, createAudit } from '@taskgraph/runtime/telemetry/audit';
import { createLog } from '@taskgraph/runtime/telemetry/log';

const audit = createAudit(createLog({ name: 'admin', level: 'error' }, process.stderr));

/**
 * Writes one line. `program` is the executed command; everyone with access to the database may run
 * it.
 */
export function writeAudit<E extends 'admin:user' | 'admin:token' | 'admin:sign-in-link'>(
  event: E,
  program: string,
  what: AuditFacts<E>,
): void {
  audit({ event, outcome: 'ok', who: null, from: program, what });
}
