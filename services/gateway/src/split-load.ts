// One request for many keys. While an answer is too long for one message, two halves are requested
// instead, one after the other.
import { isRefusal, type Refusal } from '@taskgraph/wire/errors';

type Entries<Entry> = ReadonlyMap<string, Entry>;
type PartAnswer<Value> = ReadonlyMap<string, Value> | Refusal;

interface PartHandlers<Entry, Value> {
  /** The values by key, or the refusal of the whole part. */
  onAnswer(part: Entries<Entry>, answer: PartAnswer<Value>): void;
  /** The request has failed without an answer. */
  onError(part: Entries<Entry>, error: unknown): void;
}

/** Calls one of the handlers for each part. Each entry is in one part. */
export async function loadInParts<Entry, Value>(
  entries: Entries<Entry>,
  load: (part: Entries<Entry>) => Promise<PartAnswer<Value>>,
  handlers: PartHandlers<Entry, Value>,
): Promise<void> {
  let answer: PartAnswer<Value>;
  try {
    answer = await load(entries);
  } catch (error) {
    return handlers.onError(entries, error);
  }
  const isTooLarge = isRefusal(answer) && answer.code === 'internal.too_large';
  if (!isTooLarge || entries.size <= 1) return handlers.onAnswer(entries, answer);
  for (const half of halvesOf(entries)) await loadInParts(half, load, handlers);
}

function halvesOf<Entry>(entries: Entries<Entry>): Entries<Entry>[] {
  const all = [...entries];
  const middle = Math.ceil(all.length / 2);
  return [new Map(all.slice(0, middle)), new Map(all.slice(middle))];
}
