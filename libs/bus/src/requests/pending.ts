// A request that waits for its answer: its tries, what came for each of them, and what of that may be passed on. Rule: GEN8.
import { setTimeout as startTimer } from 'node:timers';
import type { ReplyMessage } from '@taskgraph/wire/messages';
import type { RawReply } from './raw-reply.ts';

type Answer = ReplyMessage | RawReply;

export interface Pending {
  /** The answer that is passed on; null while there is none. */
  readonly reply: () => Answer | null;
  /**
   * Whether a worker refused it while other tries are not answered. Another worker may have one of these, and do it: so the refusal waits for
   * them, and nothing more is tried.
   */
  readonly isHeld: () => boolean;
  /** Whether a try is without an answer, and none is there to pass on. */
  readonly isOpen: () => boolean;
  /** Tries that were published. */
  readonly published: () => number;
  /** Tries that reached nobody, or a worker that had lost the partition: these are worth another one soon. */
  readonly astray: () => number;
  /** Whether a worker may have done it, for all that is known here. */
  readonly mayBeDone: () => boolean;
  /** Notes a try, which is published now. */
  publish(): void;
  /** NATS says of a try that nobody got it. */
  bounce(): void;
  /** An answer to any of the tries. One to an earlier try is as good as one to the last. */
  hear(answer: Answer): void;
  /** Waits so many milliseconds, or until there is news. */
  pause(durationMs: number): Promise<void>;
  /** Ends the present wait early: there is news, or the connection changed. */
  wake(): void;
}

/** `isCommand`: of a read, the first answer is as good as any. */
export function createPending(isCommand: boolean): Pending {
  let [published, bounced, answered, moved] = [0, 0, 0, 0];
  let reply: Answer | null = null;
  let held: Answer | null = null;
  let wake: () => void = () => undefined;

  const settle = () => {
    if (reply === null && published <= bounced + answered) reply = held;
    wake();
  };

  return {
    reply: () => reply,
    isHeld: () => reply === null && held !== null,
    isOpen: () => reply === null && published > bounced + answered,
    published: () => published,
    astray: () => bounced + moved,
    mayBeDone: () => published > bounced,
    publish() {
      published++;
    },
    bounce() {
      bounced++;
      settle();
    },
    hear(answer) {
      answered++;
      if (isMoved(answer)) moved++;
      else if (isCommand && isRefusal(answer)) held = answer;
      else reply ??= answer;
      settle();
    },
    pause(durationMs) {
      return new Promise((resolve) => {
        const timer = startTimer(resolve, durationMs);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    },
    wake: () => wake(),
  };
}

/** A worker's word that its partition went to another one before it did anything; it is for gateways alone. */
function isMoved(answer: Answer): boolean {
  return !answer.ok && answer.error === 'unavailable' && answer.details?.outcome === 'moved';
}

/** Of what is only unavailable, or failed, nobody says that it is not done. */
function isRefusal(answer: Answer): boolean {
  return !answer.ok && answer.error !== 'unavailable' && !answer.error.startsWith('internal');
}
