// A request that waits for its answer: its tries, what came for each of them, and what of that may be passed on. Rule: GEN8.
import { setTimeout as startTimer } from 'node:timers';
import type { ReplyMessage } from '@taskgraph/wire/messages';
import type { RawReply } from './raw-reply.ts';

type Answer = ReplyMessage | RawReply;

export interface Pending {
  /** The answer that is passed on; null while there is none. */
  readonly reply: () => Answer | null;
  /**
   * Whether a worker refused it, or can't tell what became of it, while other tries are not answered. Another worker may have one of these, and do
   * it: so the answer waits for them, and nothing more is tried.
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
  /** The token that came with the last answer which asked for another try; null where none did. */
  readonly token: () => string | null;
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
  let token: string | null = null;
  /** The last answer of each standing; of several, the one that promises least counts. */
  const heard: Partial<Record<'unsure' | 'refused' | 'idle', Answer>> = {};
  let wake: () => void = () => undefined;

  const settle = () => {
    if (reply === null && published <= bounced + answered) {
      reply = heard.unsure ?? heard.refused ?? heard.idle ?? null;
    }
    wake();
  };

  return {
    reply: () => reply,
    isHeld: () => reply === null && (heard.unsure ?? heard.refused) !== undefined,
    isOpen: () => reply === null && published > bounced + answered,
    published: () => published,
    astray: () => bounced + moved,
    mayBeDone: () => published > bounced,
    token: () => token,
    publish() {
      published++;
    },
    bounce() {
      bounced++;
      settle();
    },
    hear(answer) {
      answered++;
      const standing = isCommand ? standingOf(answer) : 'done';
      if (standing === 'done') reply ??= answer;
      else if (standing === 'moved') {
        moved++;
        token = tokenOf(answer) ?? token;
      } else heard[standing] = answer;
      // A repeat that was not done says nothing of the try before it: that one is waited for as if there were no news.
      if (standing === 'idle' && published > bounced + answered) return;
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

type Standing = 'done' | 'moved' | 'idle' | 'refused' | 'unsure';

/**
 * The statement of an answer about its own try. `moved`: its worker had lost the partition before it did anything, which is for gateways alone to know. `idle`: the
 * worker did nothing, and would not. `unsure`: the try may be done, as may one that failed.
 */
function standingOf(answer: Answer): Standing {
  if (answer.ok) return 'done';
  if (answer.error.startsWith('internal')) return 'unsure';
  if (answer.error !== 'unavailable') return 'refused';
  const outcome = answer.details?.outcome;
  return outcome === 'moved' ? 'moved' : outcome === 'not_done' ? 'idle' : 'unsure';
}

function tokenOf(answer: Answer): string | null {
  const token = answer.ok ? undefined : answer.details?.token;
  return typeof token === 'string' ? token : null;
}
