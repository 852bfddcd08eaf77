// The audit log of commands: who may see what, and what becomes public. Rules: AUTH4, ACL4, PUB1.
import type { Audit, AuditFacts } from '@taskgraph/runtime/telemetry/audit';
import { Op } from '@taskgraph/wire/codes';
import type { ActingUser, ReplyMessage } from '@taskgraph/wire/messages';

/** Lines that one command leaves; the last of them says how many more there would be. */
const MOST_LINES = 100;

/** Calls whose refusals are told too; what others do to access shows in their diff. */
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

interface Entry {
  readonly op: number;
  readonly before: Readonly<Record<string, unknown>>;
  readonly after: Readonly<Record<string, unknown>>;
}

interface Answered {
  readonly event: string;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly reply: ReplyMessage;
  readonly who: ActingUser;
  readonly from: string;
  readonly traceId: string;
}

type Line = { readonly event: 'grant' | 'publication'; readonly what: AuditFacts<'grant' | 'publication'> };

/** Of a batch of operations, the one that was refused (BAT3). */
function refusedIn(event: string, payload: Answered['payload'], details: Record<string, unknown> | undefined) {
  if (event !== 'batch:run') return { event, payload };
  const operations = payload.operations as readonly { event: string; payload?: object }[];
  const refused = operations[Number(details?.index)];
  return { event: refused?.event ?? event, payload: refused?.payload ?? {} };
}

/** Writes a line for each grant and publication that a command has changed, in batches, by undoing and with new nodes too. */
export function auditCommand(audit: Audit, { event, payload, reply, who, from, traceId }: Answered): void {
  const told = { who, from, traceId };
  if (!reply.ok) {
    const refused = refusedIn(event, payload, reply.details);
    const kind = EVENTS[refused.event];
    if (kind === undefined) return;
    const { id, email, level, due, branch } = refused.payload as Record<string, string | undefined>;
    const what = withoutGaps({ call: event, nodeId: id, email, level, due, branch });
    audit({ event: kind, outcome: reply.error, what, ...told });
    return;
  }
  // A dry run changes nothing.
  if (payload.dryRun === true) return;
  const lines = linesOf(event, reply.body);
  const more = lines.length - MOST_LINES;
  for (const [index, line] of lines.slice(0, MOST_LINES).entries()) {
    const what = more > 0 && index === MOST_LINES - 1 ? { ...line.what, more } : line.what;
    audit({ event: line.event, outcome: 'ok', what, ...told });
  }
}

function linesOf(call: string, body: Readonly<Record<string, unknown>>): Line[] {
  const { diff } = body as {
    diff?: { batchId?: string | null; access?: readonly Entry[]; nodes?: readonly Entry[] };
  };
  const batchId = diff?.batchId ?? null;
  const grants = (diff?.access ?? []).map(({ op, before, after }): Line => {
    const { id, email, level, due, branch } = { ...before, ...after } as Record<string, string | undefined>;
    const facts = { call, change: CHANGES[op], nodeId: id, email, level, due, branch, batchId };
    return { event: 'grant', what: withoutGaps(facts) };
  });
  const publications = (diff?.nodes ?? [])
    .filter(({ op }) => op === Op.NODE_PUBLISH)
    .map(({ after }): Line => {
      // The public token opens what is published: it is in no line.
      const { id, publicToken, publicDue, publicBranch } = after as Record<string, string | null | undefined>;
      const change = publicToken === null ? 'ended' : publicToken === undefined ? 'changed' : 'published';
      const facts = { call, change, nodeId: id ?? undefined, due: publicDue, branch: publicBranch, batchId };
      return { event: 'publication', what: withoutGaps(facts) };
    });
  return [...grants, ...publications];
}

function withoutGaps(facts: Readonly<Record<string, string | null | undefined>>): Line['what'] {
  return Object.fromEntries(Object.entries(facts).filter(([, fact]) => fact !== undefined)) as Line['what'];
}
