// Gathers questions of a moment into one: while one is under way, those that come wait, and go together as the next. So nobody is answered
// by what was read before they asked, and a crowd that comes at once costs a few questions. Rules: ACL7, AUTH2, EVT4.
import { isRefusal, type Refusal, refuse } from '@taskgraph/wire/errors';

/** A worker that does not answer must not keep back who asks after it: from then on its question does not count as under way. */
const PATIENCE_MS = 250;
/** One that is not full leaves so much later than the one before, at the soonest: small ones cost as much as large ones. */
const APART_MS = 20;
/** Questions that are full do not wait for each other, up to so many at once. */
const FULL_AT_ONCE = 4;
/** Questions that are not answered yet, those included that do not count any more. */
const MOST_UNANSWERED = 40;
/** Keys that wait for a question to leave. */
const MOST_WAITING = 10_000;

interface Options<Asked, Answer> {
  /** Keys that one question asks for. */
  readonly most: number;
  /** Asks one question about all of them, and gives the answers by key. */
  readonly ask: (asked: ReadonlyMap<string, Asked>) => Promise<ReadonlyMap<string, Answer> | Refusal>;
}

/** Asks about one key; all that ask about it before the question leaves share its answer. Null where the answer has none for it. */
export type Gathered<Asked, Answer> = (key: string, asked: Asked) => Promise<Answer | Refusal | null>;

interface Entry<Asked, Answer> {
  readonly asked: Asked;
  readonly outcome: Promise<Answer | Refusal | null>;
  resolve(outcome: Answer | Refusal | null): void;
  reject(error: unknown): void;
}

type Entries<Asked, Answer> = Map<string, Entry<Asked, Answer>>;

export function gather<Asked, Answer>({ most, ask }: Options<Asked, Answer>): Gathered<Asked, Answer> {
  const waiting: Entries<Asked, Answer> = new Map();
  let unanswered = 0;
  let underWay = 0;
  let isLeaving = false;
  let leftAtMs = Number.NEGATIVE_INFINITY;
  let isPaced = false;

  function schedule(): void {
    if (isLeaving || waiting.size === 0 || unanswered >= MOST_UNANSWERED) return;
    const isFull = waiting.size >= most;
    if (underWay > 0 && (!isFull || underWay >= FULL_AT_ONCE)) return;
    const waitMs = leftAtMs + APART_MS - performance.now();
    if (waitMs > 0 && !isFull) {
      if (!isPaced) setTimeout(resume, waitMs);
      isPaced = true;
      return;
    }
    isLeaving = true;
    // All that has arrived by now goes along.
    setImmediate(() => {
      isLeaving = false;
      leave();
    });
  }

  function resume(): void {
    isPaced = false;
    schedule();
  }

  function leave(): void {
    leftAtMs = performance.now();
    const some = takeFirst(waiting, most);
    unanswered++;
    underWay++;
    let counts = true;
    const discount = () => {
      if (counts) underWay--;
      counts = false;
      schedule();
    };
    const timer = setTimeout(discount, PATIENCE_MS);
    timer.unref();
    void settle(some, ask).finally(() => {
      clearTimeout(timer);
      unanswered--;
      discount();
    });
    schedule();
  }

  return (key, asked) => {
    const shared = waiting.get(key);
    if (shared !== undefined) return shared.outcome;
    if (waiting.size >= MOST_WAITING) return Promise.resolve(tooMany);
    const entry = createEntry<Asked, Answer>(asked);
    waiting.set(key, entry);
    schedule();
    return entry.outcome;
  };
}

const tooMany = refuse('unavailable', 'Too many questions wait for an answer.');

/** Asks, and tells each what it was answered. An answer that is too long for one message is asked for by halves. */
async function settle<Asked, Answer>(
  entries: Entries<Asked, Answer>,
  ask: Options<Asked, Answer>['ask'],
): Promise<void> {
  try {
    const answers = await ask(new Map([...entries].map(([key, { asked }]) => [key, asked])));
    if (isRefusal(answers) && answers.code === 'internal.too_large' && entries.size > 1) {
      const half = takeFirst(entries, Math.ceil(entries.size / 2));
      await settle(half, ask);
      await settle(entries, ask);
      return;
    }
    for (const [key, { resolve }] of entries) resolve(isRefusal(answers) ? answers : (answers.get(key) ?? null));
  } catch (error) {
    for (const { reject } of entries.values()) reject(error);
  }
}

function createEntry<Asked, Answer>(asked: Asked): Entry<Asked, Answer> {
  let settlers: Pick<Entry<Asked, Answer>, 'resolve' | 'reject'> | undefined;
  const outcome = new Promise<Answer | Refusal | null>((resolve, reject) => {
    settlers = { resolve, reject };
  });
  return { asked, outcome, ...(settlers as Pick<Entry<Asked, Answer>, 'resolve' | 'reject'>) };
}

/** Takes so many out, those that came first. */
function takeFirst<Value>(from: Map<string, Value>, most: number): Map<string, Value> {
  const taken = new Map<string, Value>();
  for (const [key, value] of from) {
    if (taken.size >= most) break;
    taken.set(key, value);
    from.delete(key);
  }
  return taken;
}
