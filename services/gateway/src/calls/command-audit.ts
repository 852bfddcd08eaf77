// The audit log of commands: changes of grants and publications. Rules: AUTH4, ACL4, PUB1.
import type { Audit, AuditFacts } from '@taskgraph/runtime/telemetry/audit';
import type { ActingUser } from '@taskgraph/wire/actor';
import type { ReplyMessage } from '@taskgraph/wire/bus/calls';
import { Op } from '@taskgraph/wire/codes';

/** Lines of one command; the last one says how many are left out. */
const MOST_LINES = 100;

/** Calls whose refusals are logged too. Changes by other calls are found in their diffs. */
const EVENTS: Readonly<Record<string, 'grant' | 'publication'>> = {
  'node:access': 'grant',
  'node:access:update': 'grant',
  'node:access:delete': 'grant',
  'node:publish': 'publication',
  'node:publish:update': 'publication',
  'node:unpublish': 'publication',
};

const CHANGES: Readonly<Record<number, string>> = {
  [Op.GRANT_UPSERT]: 'granted',
  [Op.GRANT_UPDATE]: 'changed',
  [Op.GRANT_DELETE]: 'ended',
};

interface DiffEntry {
  readonly op: number;
  readonly before: Readonly<Record<string, unknown>>;
  readonly after: Readonly<Record<string, unknown>>;
}

interface AnsweredCommand {
  readonly event: string;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly reply: ReplyMessage;
  readonly who: ActingUser;
  readonly from: string;
  readonly traceId: string;
}

type AuditLine = { readonly event: 'grant' | 'publication'; readonly what: AuditFacts<'grant' | 'publication'> };

/** The refused operation of a batch (BAT3), or the call itself. */
function refusedIn(event: string, payload: AnsweredCommand['payload'], details: Record<string, unknown> | undefined) {
  if (event !== 'batch:run') return { event, payload };
  const operations = payload.operations as readonly { event: string; payload?: object }[];
  const refused = operations[Number(details?.index)];
  return { event: refused?.event ?? event, payload: refused?.payload ?? {} };
}

/**
 * Writes a line for each grant and publication that a command changed, also in a batch, an undo, or
 * with new nodes.
 */
export function auditCommand(audit: Audit, { event, payload, reply, who, from, traceId }: AnsweredCommand): void {
  const context = { who, from, traceId };
  if (!reply.ok) {
    const refused = refusedIn(event, payload, reply.details);
    const kind = EVENTS[refused.event];
    if (kind === undefined) return;
    const { id, email, level, due, branch } = refused.payload as Record<string, string | undefined>;
    const what = withoutGaps({ call: event, nodeId: id, email, level, due, branch });
    audit({ event: kind, outcome: reply.error, what, ...context });
    return;
  }
  // A dry run changes nothing.
  if (payload.dryRun === true) return;
  const lines = linesOf(event, reply.body);
  const more = lines.length - MOST_LINES;
  for (const [index, line] of lines.slice(0, MOST_LINES).entries()) {
    const what = more > 0 && index === MOST_LINES - 1 ? { ...line.what, more } : line.what;
    audit({ event: line.event, outcome: 'ok', what, ...context });
  }
}

function linesOf(call: string, body: Readonly<Record<string, unknown>>): AuditLine[] {
  const { diff } = body as {
    diff?: { batchId?: string | null; access?: readonly DiffEntry[]; nodes?: readonly DiffEntry[] };
  };
  const batchId = diff?.batchId ?? null;
  const grants = (diff?.access ?? []).map(({ op, before, after }): AuditLine => {
    const { id, email, level, due, branch } = { ...before, ...after } as Record<string, string | undefined>;
    const facts = { call, change: CHANGES[op], nodeId: id, email, level, due, branch, batchId };
    return { event: 'grant', what: withoutGaps(facts) };
  });
  const publications = (diff?.nodes ?? [])
    .filter(({ op }) => op === Op.NODE_PUBLISH)
    .map(({ after }): AuditLine => {
      // The public token gives access, so no line contains it.
      const { id, publicToken, publicDue, publicBranch } = after as Record<string, string | null | undefined>;
      const change = publicToken === null ? 'ended' : publicToken === undefined ? 'changed' : 'published';
      const facts = { call, change, nodeId: id ?? undefined, due: publicDue, branch: publicBranch, batchId };
      return { event: 'publication', what: withoutGaps(facts) };
    });
  return [...grants, ...publications];
}

function withoutGaps(facts: Readonly<Record<string, string | null | undefined>>): AuditLine['what'] {
  return Object.fromEntries(Object.entries(facts).filter(([, fact]) => fact !== undefined)) as AuditLine['what'];
}
