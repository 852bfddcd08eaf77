// The audit log: one structured line for each act that somebody may have to account for. docs/audit.md says what each means. Rules: AUTH1, AUTH4.
import type { Log } from './log.ts';

/** Every event that there is, with what its line says besides who, from where and with what outcome. */
export const AUDIT_EVENTS = {
  'sign-in': ['by', 'email', 'sessionId', 'userId'],
  'sign-out': ['sessionId'],
  'session:end': ['sessionId', 'others'],
  register: ['email'],
  'register:verify': ['email', 'userId'],
  'password:change': ['endTokens'],
  'password:forgot': ['email'],
  'password:mail': ['email'],
  'password:reset': ['userId', 'endTokens'],
  'token:create': ['tokenId', 'name', 'readOnly', 'expires'],
  'token:rotate': ['tokenId', 'nextId'],
  'token:revoke': ['tokenId'],
  grant: ['call', 'change', 'nodeId', 'email', 'level', 'due', 'branch', 'batchId', 'more'],
  publication: ['call', 'change', 'nodeId', 'due', 'branch', 'batchId', 'more'],
  'access:end': ['nodeId'],
  'admin:user': ['userId', 'disabled', 'changes'],
  'admin:token': ['userId', 'tokenId', 'readOnly', 'expires', 'changes'],
} as const;

export type AuditEvent = keyof typeof AUDIT_EVENTS;
type Fact = string | number | boolean | null | readonly string[];
/** The facts of the act: ids, and e-mails where nothing else says whom it concerns. Never a text that opens something. */
export type AuditFacts<E extends AuditEvent = AuditEvent> = Partial<
  Record<E extends unknown ? (typeof AUDIT_EVENTS)[E][number] : never, Fact>
>;

interface Act<E extends AuditEvent> {
  readonly event: E;
  /** `ok`, or the code of the refusal. */
  readonly outcome: string;
  /** The actor; null where nobody is known. */
  readonly who: { readonly id: string; readonly email: string } | null;
  /** The client's address, or the program. */
  readonly from: string;
  readonly what: AuditFacts<E>;
  readonly traceId?: string;
}

/** Writes one line. */
export type Audit = <E extends AuditEvent>(act: Act<E>) => void;

/** Longer texts are cut: what comes from outside must not fill the log. */
const LONGEST_FACT = 300;

/** The lines go where the service's other lines go, and are written whatever its level is. */
export function createAudit(log: Log): Audit {
  const lines = log.child({ audit: true }, { level: 'info' });
  return ({ event, outcome, who, from, what, traceId }) => {
    // Fields that are not listed are left out, whoever hands them over.
    const listed: readonly string[] = AUDIT_EVENTS[event];
    const known = Object.entries(what as Record<string, Fact>).filter(([name]) => listed.includes(name));
    const facts = Object.fromEntries(known.map(([name, fact]) => [name, cut(fact)]));
    const whose = who === null ? null : { id: who.id, email: who.email };
    lines.info({ event, outcome, who: whose, from, what: facts, ...(traceId && { traceId }) }, 'audit');
  };
}

function cut(fact: Fact): Fact {
  return typeof fact === 'string' && fact.length > LONGEST_FACT ? fact.slice(0, LONGEST_FACT) : fact;
}
