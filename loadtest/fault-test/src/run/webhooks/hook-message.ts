// Reads the body of a webhook's message. Only what the checks need is stored, so that the messages of
// a long run fit into memory.
import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { HookEvent, HookMessage } from '../../history/history.ts';

type Fields = Readonly<Record<string, unknown>>;

interface Body {
  readonly type: string;
  readonly data: {
    readonly events?: readonly {
      readonly type: string;
      /** A due date has none. */
      readonly batchId?: string;
      readonly id: string;
      readonly before?: Fields | null;
      readonly after?: Fields | null;
    }[];
    readonly feeds?: HookMessage['feeds'];
    readonly truncated?: boolean;
  };
}

/** The parts of a message that its request determines. */
export type MessageContent = Pick<HookMessage, 'id' | 'type' | 'feeds' | 'events' | 'isTruncated' | 'unknownFields'>;

/** Null for a body that is no message. */
export function readMessage(headers: IncomingHttpHeaders, text: string): MessageContent | null {
  let body: Partial<Body> | null;
  try {
    body = JSON.parse(text) as Partial<Body> | null;
  } catch {
    return null;
  }
  const { type, data } = body ?? {};
  if (typeof type !== 'string' || typeof data !== 'object' || data === null) return null;
  const { events = [], feeds = {}, truncated = false } = data;
  if (!Array.isArray(events)) return null;
  return {
    id: headerOf(headers, 'webhook-id'),
    type,
    feeds,
    isTruncated: truncated,
    events: events.map(eventOf),
    unknownFields: type === 'graph.due' ? unknownIn(body as Body) : [],
  };
}

/**
 * Whether one of the signatures is that of the secret. The age of a message does not count, since the run
 * may set the clock of the service that signs it.
 */
export function isSignedWith(secret: string, headers: IncomingHttpHeaders, text: string): boolean {
  const signed = `${headerOf(headers, 'webhook-id')}.${headerOf(headers, 'webhook-timestamp')}.${text}`;
  return headerOf(headers, 'webhook-signature').split(' ').includes(signatureOf(secret, signed));
}

function eventOf({ type, batchId, id, before, after }: NonNullable<Body['data']['events']>[number]): HookEvent {
  const isWhole = before !== undefined || after !== undefined;
  const isAccess = type.startsWith('access.');
  const version = !isAccess && typeof after?.version === 'number' ? after.version : null;
  const title = typeof after?.title === 'string' ? after.title : null;
  const level = isAccess && typeof after?.level === 'number' ? after.level : null;
  const dueDate = type === 'node.due' && typeof after?.dueDate === 'string' ? after.dueDate : null;
  const digest = digestOf(JSON.stringify(type === 'node.due' ? withoutAccess(after ?? {}) : [before, after]));
  return { type, batch: batchId ?? '', id, isWhole, version, title, level, dueDate, digest };
}

/** A due date comes with the present fields of its node, of which these change without a new version. */
function withoutAccess({ access: _access, shareRoots: _roots, ...fields }: Fields): Fields {
  return fields;
}

/** The fields of a `graph.due` that are not those of its type. */
function unknownIn(body: Body): string[] {
  const { events = [] } = body.data;
  const other = (fields: object, known: readonly string[]) =>
    Object.keys(fields).filter((name) => !known.includes(name));
  return [
    ...other(body, ['type', 'timestamp', 'data']),
    ...other(body.data, ['hook', 'events', 'thin']),
    ...events.flatMap((event) => [
      ...other(event, ['type', 'id', 'after']),
      ...('description' in (event.after ?? {}) ? ['description'] : []),
    ]),
  ];
}

/** The signature that a secret `whsec_...` gives a message (HOOK4). */
function signatureOf(secret: string, signed: string): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
}

/** A header; the first one, if it is repeated. */
function headerOf(headers: IncomingHttpHeaders, name: string): string {
  return String([headers[name]].flat()[0] ?? '');
}

/** FNV-1a, 32 bits. */
function digestOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}
