// Bounds the reads of a worker: so many at once, so many that wait. The pages that clients ask for can't keep back what gateways ask for
// themselves, such as whose a token is, and no reader those of another.

import type { Reply } from '@taskgraph/bus/requests/reply-encoding';
import { definitionOf } from '@taskgraph/commands/catalog';
import { createBounded } from '@taskgraph/runtime/bounded';
import { isRefusal, type Refusal, refusalReply, refuse } from '@taskgraph/wire/errors';
import type { ReadMessage } from '@taskgraph/wire/messages';
import { createReaderTurns } from './reader-turns.ts';

interface Options {
  /** How many pages are read at once, and how many questions of gateways besides. */
  readonly atOnce: number;
  /** How many more of each may wait; past it they are refused as `unavailable`. */
  readonly waiting: number;
  readonly nowMs: () => number;
  readonly onRefused: () => void;
  /** A number that grows with whatever else the worker does. */
  readonly otherWork: () => number;
}

type Question = Pick<ReadMessage, 'event' | 'deadline' | 'actor' | 'payload'>;

export interface ReadGates {
  /** Does a read when it is its turn; refuses it where too many wait, or where its deadline has passed meanwhile. */
  pass(message: Question, read: () => Promise<Reply>): Promise<Reply>;
  /** How many wait now. */
  waiting(): number;
  /** How many of these have readers who had much lately. */
  waitingHeavy(): number;
}

export function createReadGates({ atOnce, waiting, nowMs, onRefused, otherWork }: Options): ReadGates {
  const pages = createReaderTurns({ atOnce, waiting, nowMs, otherWork });
  const questions = createBounded({ atOnce, waiting });
  return {
    async pass(message, read) {
      const inTime = () => (message.deadline <= nowMs() ? Promise.resolve(late) : read());
      const isPage = definitionOf(message.event) !== undefined;
      const turn = isPage
        ? pages.take(readerOf(message), inTime, message.actor === null ? uncounted : bytesOf)
        : questions(inTime);
      const reply: Reply | Refusal = await turn;
      if (!isRefusal(reply)) return reply;
      onRefused();
      return refusalReply(reply);
    },
    waiting: () => pages.waiting() + questions.waiting(),
    waitingHeavy: pages.waitingHeavy,
  };
}

/** Only pages that are ready to be sent are long. */
function bytesOf(reply: Reply): number {
  return 'encoded' in reply ? reply.encoded.length : 0;
}

/** All who read by one public token share a quarter already; many small readers are no heavy one. */
const uncounted = () => 0;

/** A user, or all who read by one public token. */
function readerOf({ actor, payload }: Question): string {
  return actor === null ? `public ${String(payload.root)}` : actor.id;
}

const late = refusalReply(refuse('unavailable', 'The deadline passed while it waited.'));
