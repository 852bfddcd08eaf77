// Bounds the reads of a worker. Pages of clients delay neither the gateways' own look-ups, such as
// those of tokens, nor other readers. Neither do surveys of services, which take seconds.
import type { Reply } from '@taskgraph/bus/requests/reply-encoding';
import { createConcurrencyLimit } from '@taskgraph/runtime/concurrency-limit';
import { type ActingUser, countedUser } from '@taskgraph/wire/actor';
import type { AccountEvent } from '@taskgraph/wire/bus/account-messages';
import { type ReadMessage, refusalReply } from '@taskgraph/wire/bus/calls';
import { PAGE_LIKE_READS } from '@taskgraph/wire/bus/gateway-reads';
import { isRefusal, type Refusal, refuse } from '@taskgraph/wire/errors';
import { operationOf } from '@taskgraph/wire/operations/operations';
import { createReaderTurns } from './reader-turns.ts';

interface ReadGatesOptions {
  /** Most pages in progress, and as many look-ups of gateways besides. */
  readonly atOnce: number;
  /** Most waiting reads of each kind. Further ones are refused as `unavailable`. */
  readonly waiting: number;
  readonly nowMs: () => number;
  readonly onRefused: () => void;
  /** A counter that grows with all other work of the worker. */
  readonly otherWork: () => number;
}

const PAGE_LIKE: ReadonlySet<string> = new Set(PAGE_LIKE_READS);

/** They wait for reports of services, or share the result of another call (ADMIN3, ADMIN4). */
const SURVEYS: ReadonlySet<string> = new Set<AccountEvent>(['account:admin:status', 'account:admin:service']);
/** They take little of the database, and most wait for the same reports. */
const SURVEYS_AT_ONCE = 16;

type GatedRead = Pick<ReadMessage, 'event' | 'deadline' | 'actor' | 'payload'>;

export interface ReadGates {
  /** Runs a read on its turn. Refuses it if too many wait or its deadline has passed. */
  pass(message: GatedRead, read: () => Promise<Reply>): Promise<Reply>;
  /** The same for a read inside a command. `bytesOf` estimates what the read costs, as a page would. */
  passQueue<T extends object>(
    actor: ActingUser,
    work: () => Promise<T>,
    bytesOf: (result: T) => number,
  ): Promise<T | Refusal>;
  /** Waiting reads. */
  waiting(): number;
  /** Waiting reads of heavy readers. */
  waitingHeavy(): number;
}

export function createReadGates({ atOnce, waiting, nowMs, onRefused, otherWork }: ReadGatesOptions): ReadGates {
  const pages = createReaderTurns({ atOnce, waiting, nowMs, otherWork });
  const lookUps = createConcurrencyLimit({ atOnce, waiting });
  const surveys = createConcurrencyLimit({ atOnce: SURVEYS_AT_ONCE, waiting: 0 });
  return {
    async pass(message, read) {
      const inTime = () => (message.deadline <= nowMs() ? Promise.resolve(late) : read());
      const isPage = operationOf(message.event) !== undefined || PAGE_LIKE.has(message.event);
      const turn = isPage
        ? pages.take(readerOf(message), {
            work: inTime,
            bytesOf: message.actor === null || PAGE_LIKE.has(message.event) ? uncounted : bytesOf,
            isSmall: isReadOfOneNode(message),
          })
        : (SURVEYS.has(message.event) ? surveys : lookUps)(inTime);
      const reply: Reply | Refusal = await turn;
      if (!isRefusal(reply)) return reply;
      onRefused();
      return refusalReply(reply);
    },
    async passQueue(actor, work, bytesOf) {
      const result = await pages.take(countedUser(actor), { work, bytesOf });
      if (isRefusal(result)) onRefused();
      return result;
    },
    waiting: () => pages.waiting() + lookUps.waiting(),
    waitingHeavy: pages.waitingHeavy,
  };
}

/** Only encoded pages are long. A compressed one counts as the page that its reader gets. */
function bytesOf(reply: Reply): number {
  return 'encoded' in reply ? (reply.plainBytes ?? reply.encoded.length) : 0;
}

/**
 * Contents of messages are short, and most of what they need is cached; their rate has limits of its own
 * (HOOK13). The readers of one public token already share a quarter. Many small readers are not one heavy
 * reader.
 */
const uncounted = () => 0;

function isReadOfOneNode({ event, payload }: GatedRead): boolean {
  return event === 'node:get' && typeof payload.id === 'string';
}

/** A user with their bots, or all readers of one public token. */
function readerOf({ actor, payload }: GatedRead): string {
  return actor === null ? `public ${String(payload.root)}` : countedUser(actor);
}

const late = refusalReply(refuse('unavailable', 'The deadline passed while the read waited.'));
