// Reads the body of a webhook's message. Only what the checks need is stored, so that the messages of
// a long run fit into memory.
import type { HookEvent, HookMessage } from '../../history/history.ts';

type Fields = Readonly<Record<string, unknown>>;

interface Body {
  readonly type: string;
  readonly data: {
    readonly events?: readonly {
      readonly type: string;
      readonly batchId: string;
      readonly id: string;
      readonly before?: Fields | null;
      readonly after?: Fields | null;
    }[];
    readonly feeds?: HookMessage['feeds'];
    readonly truncated?: boolean;
  };
}

/** The parts of a message that its body determines. Throws for a body that is not JSON. */
export function readMessage(
  id: string | readonly string[] | undefined,
  text: string,
): Pick<HookMessage, 'id' | 'type' | 'feeds' | 'events' | 'isTruncated'> {
  const { type, data } = JSON.parse(text) as Body;
  const { events = [], feeds = {}, truncated = false } = data;
  return { id: String(id), type, feeds, isTruncated: truncated, events: events.map(eventOf) };
}

function eventOf({ type, batchId, id, before, after }: NonNullable<Body['data']['events']>[number]): HookEvent {
  const isWhole = before !== undefined || after !== undefined;
  const isAccess = type.startsWith('access.');
  const version = !isAccess && typeof after?.version === 'number' ? after.version : null;
  return { type, batch: batchId, id, isWhole, version, digest: digestOf(JSON.stringify([before, after])) };
}

/** FNV-1a, 32 bits. */
function digestOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}
