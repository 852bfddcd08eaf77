// A request that waits for its answer. Counts its tries and their answers, and decides which answer may be passed on. Rule: GEN8.
import { setTimeout as startTimer } from 'node:timers';
import type { ReplyMessage } from '@taskgraph/wire/messages';
import type { RawReply } from './raw-reply.ts';

type Answer = ReplyMessage | RawReply;

export interface Pending {
  /** The answer that is passed on; null while there is none. */
  readonly reply: () => Answer | null;
  /**
   * Whether a worker refused it or does not know its outcome while other tries have no answer. Another worker may still execute one of
   * those, so wait for them and send no further try.
   */
  readonly isHeld: () => boolean;
  /** Whether a try has no answer yet and there is none to pass on. */
  readonly isOpen: () => boolean;
  /** Tries that were published. */
  readonly published: () => number;
  /** Tries that reached no worker, or one that had lost the partition. Each is worth another try soon. */
  readonly astray: () => number;
  /** Whether a worker may have executed it, as far as this process knows. */
  readonly mayBeDone: () => boolean;
  /** The token of the last answer that asked for a repeat; null if none did. */
  readonly token: () => string | null;
  /** Records a try that is being published. */
  publish(): void;
  /** Records that NATS found no subscriber for a try. */
  bounce(): void;
  /** Records an answer to any of the tries; one to an earlier try counts as much as one to the last. */
  hear(answer: Answer): void;
  /** Waits for this long, or until `wake`. */
  pause(durationMs: number): Promise<void>;
  /** Ends the current wait early, on an answer or a change of the connection. */
  wake(): void;
}

/** `isCommand`: for a read any first answer is final. */
export function createPending(isCommand: boolean): Pending {
  let [published, bounced, answered, moved] = [0, 0, 0, 0];
  let reply: Answer | null = null;
  let token: string | null = null;
  /** The last answer of each outcome; the one that promises least wins. */
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
      const outcome = isCommand ? outcomeOf(answer) : 'done';
      if (outcome === 'done') reply ??= answer;
      else if (outcome === 'moved') {
        moved++;
        token = tokenOf(answer) ?? token;
      } else heard[outcome] = answer;
      // A repeat that was not executed says nothing about the earlier try: keep waiting for that one.
      if (outcome === 'idle' && published > bounced + answered) return;
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

type TryOutcome = 'done' | 'moved' | 'idle' | 'refused' | 'unsure';

/**
 * The outcome of a try according to its answer. `moved`: the worker had lost the partition before it did anything; only gateways see this.
 * `idle`: the worker did nothing and will not. `unsure`: the try may be done; the same holds for an internal failure.
 */
function outcomeOf(answer: Answer): TryOutcome {
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
