// Bounds the reads of a worker: so many at once, so many that wait. The pages that clients ask for can't keep back what gateways ask for
// themselves, such as whose a token is.
import { definitionOf } from '@taskgraph/commands/catalog';
import { createBounded } from '@taskgraph/runtime/bounded';
import { type Refusal, refuse } from '@taskgraph/wire/errors';
import type { ReadMessage, ReplyMessage } from '@taskgraph/wire/messages';
import { refusalReply } from './job.ts';

interface Options {
  /** How many pages are read at once, and how many questions of gateways besides. */
  readonly atOnce: number;
  /** How many more of each may wait; past it they are refused as `unavailable`. */
  readonly waiting: number;
  readonly nowMs: () => number;
  readonly onRefused: () => void;
}

export interface ReadGates {
  /** Does a read when it is its turn; refuses it where too many wait, or where its deadline has passed meanwhile. */
  pass(message: Pick<ReadMessage, 'event' | 'deadline'>, read: () => Promise<ReplyMessage>): Promise<ReplyMessage>;
  /** How many wait now. */
  waiting(): number;
}

export function createReadGates({ atOnce, waiting, nowMs, onRefused }: Options): ReadGates {
  const pages = createBounded({ atOnce, waiting });
  const questions = createBounded({ atOnce, waiting });
  return {
    async pass({ event, deadline }, read) {
      const gate = definitionOf(event) === undefined ? questions : pages;
      const reply: ReplyMessage | Refusal = await gate(() => (deadline <= nowMs() ? Promise.resolve(late) : read()));
      if ('ok' in reply) return reply;
      onRefused();
      return refusalReply(reply);
    },
    waiting: () => pages.waiting() + questions.waiting(),
  };
}

const late = refusalReply(refuse('unavailable', 'The deadline passed while it waited.'));
