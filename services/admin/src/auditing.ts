// The audit log of commands of administrators, on standard error: standard output is for what was asked for.
import { type AuditFacts, createAudit } from '@taskgraph/runtime/telemetry/audit';
import { createLog } from '@taskgraph/runtime/telemetry/log';

const audit = createAudit(createLog({ name: 'admin', level: 'error' }, process.stderr));

/** Writes one line; `program`: the command that was run, by whoever may reach the database. */
export function tellAudit<E extends 'admin:user' | 'admin:token'>(
  event: E,
  program: string,
  what: AuditFacts<E>,
): void {
  audit({ event, outcome: 'ok', who: null, from: program, what });
}
