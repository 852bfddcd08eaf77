// Changes by tools. A change that only adds is made at once. Any other one is first made as a dry
// run, whose answer shows its effect and a token; the same call with the token makes the change, if
// its effect is still the same. The token is a digest, so that no server stores anything.
import { createHash } from 'node:crypto';
import { Op } from '@taskgraph/wire/codes';
import type { Diff, DiffEntry } from '@taskgraph/wire/entities';
import { quoted, STATUSES } from './lines.ts';
import { nameOf, readNames } from './nodes.ts';
import type { AgentService, CallBody, ToolContext } from './service.ts';
import { dayText, momentText } from './times.ts';

/** Lines of an effect. */
const MOST_EFFECTS = 60;
/** E-mails that a line lists. */
const MOST_PEOPLE = 10;
const TOKEN_LENGTH = 16;

interface Change {
  readonly event: string;
  readonly payload: object;
  /** Whether it only adds nodes and links. */
  readonly isAdditive: boolean;
  /** The token of an earlier answer. */
  readonly confirm?: string | undefined;
  /** The idempotency key of an addition (`additionKey`). */
  readonly key?: string | undefined;
}

/** UTF-16 units of a day in ISO 8601. */
const DAY_LENGTH = 10;
/** After so long, an answer to an addition is that of an earlier call with its key. */
const EARLIER_MS = 60_000;

/**
 * The idempotency key of a call that adds nodes. The same call on the same day has the same key, so
 * that a repeated call adds nothing twice. A text of the caller takes the place of the day.
 */
export function additionKey({ nowMs }: ToolContext, payload: object, key: string | undefined): string {
  const scope = key ?? new Date(nowMs()).toISOString().slice(0, DAY_LENGTH);
  return createHash('sha256')
    .update(JSON.stringify([payload, scope]))
    .digest('base64url');
}

/** The result of a change: its body, or the lines that ask for its confirmation. */
type ChangeResult =
  | { readonly isDone: true; readonly body: CallBody; readonly lines: readonly string[] }
  | { readonly isDone: false; readonly lines: readonly string[] };

export async function makeChange(context: ToolContext, change: Change): Promise<ChangeResult> {
  const { service } = context;
  const { event, isAdditive, confirm, key } = change;
  const payload = context.withTimes(event, change.payload);
  if (isAdditive) return done(context, event, payload, key);
  const dry = await service.call(event, { ...payload, dryRun: true });
  const effects = await effectLines(service, dry);
  const token = tokenOf(event, payload, dry);
  if (confirm === token) return done(context, event, payload, token);
  if (isWithoutEffect(dry)) return { isDone: false, lines: ['Nothing would change. Nothing was done.'] };
  const heading =
    confirm === undefined
      ? 'NOT DONE YET. The change would have this effect:'
      : 'NOT DONE: this is no longer the effect that was confirmed. The change would now have this effect:';
  return { isDone: false, lines: [heading, ...effects, `To make it, repeat the call with confirm: ${token}`] };
}

async function done(
  { service, nowMs }: ToolContext,
  event: string,
  payload: object,
  idempotencyKey: string | undefined,
): Promise<ChangeResult> {
  const body = await service.call(event, payload, idempotencyKey === undefined ? {} : { idempotencyKey });
  const { batchId, ts } = body.diff as Diff;
  const isEarlier = idempotencyKey !== undefined && nowMs() - Date.parse(ts) > EARLIER_MS;
  const made = isEarlier
    ? `ALREADY DONE by an earlier call, and not repeated. It was done at ${momentText(ts)}`
    : `Done at ${momentText(ts)}`;
  const heading = batchId === null ? 'Nothing changed.' : `${made} as batch ${batchId}.`;
  return { isDone: true, body, lines: [heading, ...(await effectLines(service, body))] };
}

function isWithoutEffect({ diff }: CallBody): boolean {
  const { nodes, links, access = [] } = diff as Diff;
  return nodes.length + links.length + access.length === 0;
}

/**
 * Identifies a change and its effect: equal as long as the same fields of the same versions of the
 * same entities change. Ids and times of new entities differ in each run.
 */
function tokenOf(event: string, payload: object, { diff, sight }: CallBody): string {
  const { nodes, links, access = [] } = diff as Diff;
  const stepOf = ({ op, before, after }: DiffEntry) => {
    const isNew = before.version === undefined;
    return isNew ? [op] : [op, before.id, before.version, Object.keys(after).sort()];
  };
  const effect = [event, payload, nodes.map(stepOf), links.map(stepOf), access.map(stepOf), sight ?? null];
  return createHash('sha256').update(JSON.stringify(effect)).digest('base64url').slice(0, TOKEN_LENGTH);
}

/** The steps of a diff, one a line. */
async function effectLines(service: AgentService, { diff, sight, dryRun }: CallBody): Promise<string[]> {
  const { nodes, links, access = [], skipped = [] } = diff as Diff;
  const steps = [...nodes, ...access, ...links].slice(0, MOST_EFFECTS);
  const created = new Map(nodes.filter(isCreated).map(({ after }) => [String(after.id), String(after.title ?? '')]));
  const ids = steps.flatMap(({ before, after }) => [
    before.id,
    after.id,
    after.source,
    after.target,
    before.source,
    before.target,
  ]);
  // A dry run's new nodes do not exist, and links have no titles.
  const known = ids.filter((id): id is string => typeof id === 'string' && !created.has(id));
  const linkIds = new Set(links.flatMap(({ before, after }) => [before.id, after.id]));
  const names = await readNames(
    service,
    known.filter((id) => !linkIds.has(id)),
  );
  const name = (id: unknown) =>
    created.has(String(id)) ? nameOf(String(id), created.get(String(id))) : names(String(id));
  const lines = [
    ...nodes.map((entry) => nodeStep(entry, name, dryRun === true)),
    ...links.map((entry) => linkStep(entry, name)),
    ...access.map((entry) => accessStep(entry, name)),
  ];
  const cut = lines.length > MOST_EFFECTS ? [`- and ${lines.length - MOST_EFFECTS} more changes`] : [];
  return [
    ...lines.slice(0, MOST_EFFECTS),
    ...cut,
    ...(skipped.length > 0 ? [`- ${skipped.length} links stay in the trash`] : []),
    ...sightLines(sight as Sight | undefined),
  ];
}

type Name = (id: unknown) => string;

function isCreated({ before }: DiffEntry): boolean {
  return Object.keys(before).length === 0;
}

const NODE_VERBS: Readonly<Record<number, string>> = {
  [Op.NODE_TRASH]: 'moves to the trash',
  [Op.NODE_RESTORE]: 'comes back from the trash',
  [Op.NODE_DELETE]: 'is deleted permanently',
  [Op.NODE_PUBLISH]: 'is published differently',
};

function nodeStep({ op, before, after }: DiffEntry, name: Name, isDry: boolean): string {
  // The id that a dry run shows is never used.
  if (op === Op.NODE_ADD) return `- added ${isDry ? quoted(String(after.title)) : name(after.id)}`;
  const who = name(after.id ?? before.id);
  const verb = NODE_VERBS[op];
  if (verb !== undefined) return `- ${who} ${verb}`;
  const fields = Object.keys(after).filter((field) => !UNSHOWN.has(field) && Object.hasOwn(before, field));
  return `- ${who}: ${fields.map((field) => `${field} ${valueText(field, before[field])} → ${valueText(field, after[field])}`).join(', ')}`;
}

/** Fields that change with every step. */
const UNSHOWN: ReadonlySet<string> = new Set([
  'id',
  'version',
  'lastEditedTime',
  'shareRoots',
  'lastBatchID',
  'inTrash',
  'completedTime',
]);

function valueText(field: string, value: unknown): string {
  if (field === 'status') return STATUSES[value as 0];
  if (field === 'dueDate') return typeof value === 'string' ? dayText(value) : 'none';
  return typeof value === 'string' ? quoted(value, 80) : quoted(JSON.stringify(value), 80).slice(1, -1);
}

const LINK_VERBS: Readonly<Record<number, string>> = {
  [Op.LINK_ADD]: 'linked',
  [Op.LINK_UPDATE]: 'link changed',
  [Op.LINK_TRASH]: 'unlinked',
  [Op.LINK_RESTORE]: 'link restored',
  [Op.LINK_DELETE]: 'link deleted permanently',
  [Op.LINK_SWAP]: 'link reversed',
};

function linkStep({ op, before, after }: DiffEntry, name: Name): string {
  const verb = LINK_VERBS[op] ?? 'link changed';
  const source = after.source ?? before.source;
  if (source === undefined) return `- ${verb} ${String(after.id ?? before.id)}`;
  const type = after.type === 1 ? ' (related only)' : '';
  return `- ${verb}: ${name(source)} → ${name(after.target ?? before.target)}${type}`;
}

const LEVELS = ['owner', 'admin', 'editor', 'viewer'];

function accessStep({ op, before, after }: DiffEntry, name: Name): string {
  const grant = op === Op.GRANT_DELETE ? before : after;
  const who = `${quoted(String(grant.email))} on ${name(grant.id)}`;
  return op === Op.GRANT_DELETE ? `- access ends: ${who}` : `- access: ${who} as ${LEVELS[Number(grant.level)] ?? ''}`;
}

interface Sight {
  readonly gained: readonly string[];
  readonly lost: readonly string[];
}

function sightLines(sight: Sight | undefined): string[] {
  const people = (emails: readonly string[]) => {
    const more = emails.length > MOST_PEOPLE ? ` and ${emails.length - MOST_PEOPLE} more` : '';
    return `${emails
      .slice(0, MOST_PEOPLE)
      .map((email) => quoted(email))
      .join(', ')}${more}`;
  };
  const { gained = [], lost = [] } = sight ?? {};
  return [
    ...(gained.length > 0 ? [`- can see nodes then: ${people(gained)}`] : []),
    ...(lost.length > 0 ? [`- can no longer see nodes then: ${people(lost)}`] : []),
  ];
}
