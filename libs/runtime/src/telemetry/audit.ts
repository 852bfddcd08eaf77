// The audit log: one structured line for each accountable act. docs/audit.md describes the events.
// Rules: AUTH1, AUTH4.
import type { Log } from './log.ts';

/** All events with their facts, besides actor, origin and outcome. */
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
  'token:create': ['tokenId', 'name', 'readOnly', 'scopes', 'expires', 'botId'],
  'token:rotate': ['tokenId', 'nextId', 'botId'],
  'token:revoke': ['tokenId', 'botId'],
  'bot:create': ['botId', 'name'],
  'bot:remove': ['botId'],
  'calendar:create': ['calendarId', 'name'],
  'calendar:rotate': ['calendarId'],
  'calendar:remove': ['calendarId'],
  'hook:add': ['hookId', 'host'],
  'hook:update': ['hookId', 'host', 'enabled', 'botId'],
  'hook:delete': ['hookId', 'botId'],
  'hook:rotate': ['hookId', 'overlap'],
  'hook:replay': ['hookId', 'since'],
  'hook:disable': ['hookId', 'host', 'reason'],
  grant: ['call', 'change', 'nodeId', 'email', 'level', 'due', 'branch', 'batchId', 'more'],
  publication: ['call', 'change', 'nodeId', 'due', 'branch', 'batchId', 'more'],
  'access:end': ['nodeId'],
  'admin:read': ['call', 'userId', 'process'],
  'admin:user': ['userId', 'disabled', 'changes'],
  'admin:session:end': ['userId', 'sessionId'],
  'admin:token:revoke': ['userId', 'tokenId'],
  'admin:hook:disable': ['hookId'],
  'admin:token': ['userId', 'tokenId', 'readOnly', 'scopes', 'expires', 'changes'],
  'admin:sign-in-link': ['userId', 'expires'],
} as const;

export type AuditEvent = keyof typeof AUDIT_EVENTS;
type Fact = string | number | boolean | null | readonly string[];
/** The facts of the act: ids, and e-mails if nothing else identifies the person. Never secrets. */
export type AuditFacts<E extends AuditEvent = AuditEvent> = Partial<
  Record<E extends unknown ? (typeof AUDIT_EVENTS)[E][number] : never, Fact>
>;

interface AuditRecord<E extends AuditEvent> {
  readonly event: E;
  /** `ok`, or the code of the refusal. */
  readonly outcome: string;
  /** The actor, of a bot with its maintainer's id; null if unknown. */
  readonly who: { readonly id: string; readonly email: string; readonly maintainer?: string | undefined } | null;
  /** The client's address, or the program. */
  readonly from: string;
  readonly what: AuditFacts<E>;
  readonly traceId?: string;
}

/** Writes one line. */
export type Audit = <E extends AuditEvent>(act: AuditRecord<E>) => void;

/** Longer texts are cut, so that external input can't fill the log. */
const LONGEST_FACT = 300;

/** The lines go to the service's log, at every log level. */
export function createAudit(log: Log): Audit {
  const lines = log.child({ audit: true }, { level: 'info' });
  return ({ event, outcome, who, from, what, traceId }) => {
    // Drop fields that are not listed.
    const listed: readonly string[] = AUDIT_EVENTS[event];
    const known = Object.entries(what as Record<string, Fact>).filter(([name]) => listed.includes(name));
    const facts = Object.fromEntries(known.map(([name, fact]) => [name, cut(fact)]));
    const whose = who === null ? null : { id: who.id, email: who.email, ...ofBot(who.maintainer) };
    lines.info({ event, outcome, who: whose, from, what: facts, ...(traceId && { traceId }) }, 'audit');
  };
}

function ofBot(maintainer: string | undefined): { readonly maintainer?: string } {
  return maintainer === undefined ? {} : { maintainer };
}

function cut(fact: Fact): Fact {
  return typeof fact === 'string' && fact.length > LONGEST_FACT ? fact.slice(0, LONGEST_FACT) : fact;
}
