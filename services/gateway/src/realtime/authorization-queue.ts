// Subscribers that wait to be authorized again. Many share a query, and the next query starts after
// the answers to the last. The queue is bounded by the open sockets: each is in it once. Rules:
// ACL5, ACL7, PUB3.
import { isRefusal, type Refusal } from '@taskgraph/wire/errors';
import { loadInParts } from '../split-load.ts';
import { type Authorize, type FeedsByReader, readerKeyOf, type SubscribersByReader } from './feed-authorizer.ts';
import type { FeedAuthorization } from './subscriber.ts';
import type { Subscriber } from './subscription.ts';

/** Users, and tokens, in one query. */
const READERS_A_QUERY = 500;
/** The pause after a failed query, and after an answer that is out of date. */
const RETRY_MS = 500;

export interface AuthorizationLog {
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

interface AuthorizationQueueOptions {
  readonly authorize: Authorize;
  readonly apply: (subscriber: Subscriber, feeds: readonly FeedAuthorization[]) => void;
  readonly log: AuthorizationLog;
}

export function createAuthorizationQueue({ authorize, apply, log }: AuthorizationQueueOptions) {
  const waiting = new Set<Subscriber>();
  const retrying = new Set<Subscriber>();
  let timer: ReturnType<typeof setTimeout> | null = null;
  let isRunning = false;
  let isStopped = false;

  async function run(): Promise<void> {
    isRunning = true;
    // One control message may add many subscribers: they share a query.
    await Promise.resolve();
    while (waiting.size > 0 && !isStopped) {
      const batch = takeBatch(waiting);
      await Promise.all([authorizeBatch(batch.user), authorizeBatch(batch.public)]);
    }
    isRunning = false;
  }

  async function authorizeBatch(subscribers: SubscribersByReader): Promise<void> {
    if (subscribers.size === 0) return;
    await loadInParts(subscribers, authorize, {
      onAnswer: applyAnswer,
      onError(some, error) {
        log.error({ error }, 'sockets could not be authorized');
        retry(some);
      },
    });
  }

  function applyAnswer(subscribers: SubscribersByReader, feeds: FeedsByReader | Refusal): void {
    if (isRefusal(feeds)) {
      const fields = { error: feeds.code, readers: subscribers.size };
      log.warn(fields, 'sockets could not be authorized; the gateway retries');
      retry(subscribers);
      return;
    }
    for (const [key, some] of subscribers) {
      for (const subscriber of some) applyTo(subscriber, feeds.get(key) ?? []);
    }
  }

  /** A socket that throws is a bug of its own; it must not keep others from their feeds. */
  function applyTo(subscriber: Subscriber, feeds: readonly FeedAuthorization[]): void {
    try {
      apply(subscriber, feeds);
    } catch (error) {
      log.error({ error }, 'a socket could not be moved between rooms');
    }
  }

  function retry(subscribers: SubscribersByReader): void {
    for (const some of subscribers.values()) for (const subscriber of some) addLater(subscriber);
  }

  function add(subscriber: Subscriber): void {
    if (subscriber.isGone || isStopped) return;
    waiting.add(subscriber);
    if (!isRunning) void run();
  }

  function addLater(subscriber: Subscriber): void {
    if (isStopped) return;
    retrying.add(subscriber);
    timer ??= setTimeout(() => {
      timer = null;
      const due = [...retrying];
      retrying.clear();
      for (const each of due) add(each);
    }, RETRY_MS);
    timer.unref();
  }

  return {
    add,
    /** Adds a subscriber after `RETRY_MS`. */
    addLater,
    stop(): void {
      isStopped = true;
      if (timer !== null) clearTimeout(timer);
    },
  };
}

/** Removes the subscribers of one query of each kind, with every socket of a user or token. */
function takeBatch(waiting: Set<Subscriber>): Record<Subscriber['audience']['kind'], SubscribersByReader> {
  const batch = { user: new Map<string, Subscriber[]>(), public: new Map<string, Subscriber[]>() };
  for (const subscriber of waiting) {
    const { audience } = subscriber;
    const readers = batch[audience.kind];
    const key = readerKeyOf(audience);
    const others = readers.get(key);
    if (others === undefined && readers.size >= READERS_A_QUERY) continue;
    waiting.delete(subscriber);
    if (others === undefined) readers.set(key, [subscriber]);
    else others.push(subscriber);
  }
  return batch;
}
