// Batches concurrent look-ups: while one request is in flight, further keys queue for the next. So
// every answer was read after its look-up began, and many simultaneous look-ups cost few requests.
// Rules: ACL7, AUTH2, EVT4.
import { isRefusal, type Refusal, refuse } from '@taskgraph/wire/errors';
import { loadInParts } from './split-load.ts';

/** After this time a request no longer blocks the next one: its worker may never answer. */
const BLOCKING_LIMIT_MS = 250;
/** The least time between requests that are not full: a small one costs as much as a large one. */
const MINIMUM_INTERVAL_MS = 20;
/** Blocking requests at once, if the next one is full. */
const FULL_AT_ONCE = 4;
/** Unanswered requests, including those that no longer block. */
const MAXIMUM_UNANSWERED = 40;
/** Queued keys. */
const MAXIMUM_QUEUED = 10_000;

interface BatchLoaderOptions<Request, Answer> {
  /** Keys in one request. */
  readonly most: number;
  /** Loads the values of all keys in one request. */
  readonly load: (requests: ReadonlyMap<string, Request>) => Promise<ReadonlyMap<string, Answer> | Refusal>;
}

/**
 * Loads one key. Look-ups of one key share a request until it is sent. Null if the answer has no
 * value for it.
 */
export type BatchLoader<Request, Answer> = (key: string, request: Request) => Promise<Answer | Refusal | null>;

interface QueuedLookup<Request, Answer> {
  readonly request: Request;
  readonly outcome: Promise<Answer | Refusal | null>;
  resolve(outcome: Answer | Refusal | null): void;
  reject(error: unknown): void;
}

type LookupQueue<Request, Answer> = Map<string, QueuedLookup<Request, Answer>>;

export function createBatchLoader<Request, Answer>({
  most,
  load,
}: BatchLoaderOptions<Request, Answer>): BatchLoader<Request, Answer> {
  const queue: LookupQueue<Request, Answer> = new Map();
  let unanswered = 0;
  let blocking = 0;
  let isScheduled = false;
  let sentAtMs = Number.NEGATIVE_INFINITY;
  let isPaced = false;

  function schedule(): void {
    if (isScheduled || queue.size === 0 || unanswered >= MAXIMUM_UNANSWERED) return;
    const isFull = queue.size >= most;
    if (blocking > 0 && (!isFull || blocking >= FULL_AT_ONCE)) return;
    const waitMs = sentAtMs + MINIMUM_INTERVAL_MS - performance.now();
    if (waitMs > 0 && !isFull) {
      if (!isPaced) setTimeout(resume, waitMs);
      isPaced = true;
      return;
    }
    isScheduled = true;
    // Keys that arrive in this turn join the request.
    setImmediate(() => {
      isScheduled = false;
      send();
    });
  }

  function resume(): void {
    isPaced = false;
    schedule();
  }

  function send(): void {
    sentAtMs = performance.now();
    const some = takeFirst(queue, most);
    unanswered++;
    blocking++;
    let isBlocking = true;
    const unblock = () => {
      if (isBlocking) blocking--;
      isBlocking = false;
      schedule();
    };
    const timer = setTimeout(unblock, BLOCKING_LIMIT_MS);
    timer.unref();
    void loadLookups(some, load).finally(() => {
      clearTimeout(timer);
      unanswered--;
      unblock();
    });
    schedule();
  }

  return (key, request) => {
    const shared = queue.get(key);
    if (shared !== undefined) return shared.outcome;
    if (queue.size >= MAXIMUM_QUEUED) return Promise.resolve(tooMany);
    const lookup = createLookup<Request, Answer>(request);
    queue.set(key, lookup);
    schedule();
    return lookup.outcome;
  };
}

const tooMany = refuse('unavailable', 'Too many requests to the workers are waiting.');

/** Sends the requests of the look-ups, and resolves or rejects each look-up. */
function loadLookups<Request, Answer>(
  lookups: LookupQueue<Request, Answer>,
  load: BatchLoaderOptions<Request, Answer>['load'],
): Promise<void> {
  return loadInParts<QueuedLookup<Request, Answer>, Answer>(
    lookups,
    (part) => load(new Map([...part].map(([key, { request }]) => [key, request]))),
    {
      onAnswer(part, answers) {
        for (const [key, { resolve }] of part) resolve(isRefusal(answers) ? answers : (answers.get(key) ?? null));
      },
      onError(part, error) {
        for (const { reject } of part.values()) reject(error);
      },
    },
  );
}

function createLookup<Request, Answer>(request: Request): QueuedLookup<Request, Answer> {
  let settlers: Pick<QueuedLookup<Request, Answer>, 'resolve' | 'reject'> | undefined;
  const outcome = new Promise<Answer | Refusal | null>((resolve, reject) => {
    settlers = { resolve, reject };
  });
  return { request, outcome, ...(settlers as Pick<QueuedLookup<Request, Answer>, 'resolve' | 'reject'>) };
}

/** Removes and returns the first entries. */
function takeFirst<Value>(from: Map<string, Value>, most: number): Map<string, Value> {
  const taken = new Map<string, Value>();
  for (const [key, value] of from) {
    if (taken.size >= most) break;
    taken.set(key, value);
    from.delete(key);
  }
  return taken;
}
