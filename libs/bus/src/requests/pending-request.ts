// A request in flight. Counts its attempts and their replies and decides which reply to forward.
// Rule: GEN8.
import { setTimeout as startTimer } from 'node:timers';
import type { ReplyMessage } from '@taskgraph/wire/bus/calls';
import type { RawReply } from './raw-reply.ts';

type PendingReply = ReplyMessage | RawReply;

export interface PendingRequest {
  /** The reply to forward, or null if there is none yet. */
  readonly reply: () => PendingReply | null;
  /**
   * Whether a worker refused it, or does not know its outcome, while other attempts have no reply.
   * Another worker may still execute one of those, so wait for them and start no further attempt.
   */
  readonly isHeld: () => boolean;
  /** Whether an attempt has no reply yet and there is none to forward. */
  readonly isOpen: () => boolean;
  /** Number of published attempts. */
  readonly published: () => number;
  /**
   * Attempts that reached no worker, or a worker that had lost the partition. Each deserves another
   * attempt soon.
   */
  readonly undelivered: () => number;
  /** Whether a worker may have executed it, as far as this process knows. */
  readonly mayBeDone: () => boolean;
  /** The token of the last reply that requested a repetition, or null. */
  readonly token: () => string | null;
  /** Records an attempt about to be published. */
  publish(): void;
  /** Records that NATS found no subscriber for an attempt. */
  bounce(): void;
  /** Records a reply to any attempt; replies to earlier attempts count as much as to the last. */
  recordReply(answer: PendingReply): void;
  /** Waits for this long, or until `wake`. */
  pause(durationMs: number): Promise<void>;
  /** Ends the current wait early, after a reply or a change of the connection. */
  wake(): void;
}

/** `isCommand`: for a read the first reply of any kind is final. */
export function createPendingRequest(isCommand: boolean): PendingRequest {
  let [published, bounced, answered, moved] = [0, 0, 0, 0];
  let reply: PendingReply | null = null;
  let token: string | null = null;
  /** The last reply of each outcome; the least certain one wins. */
  const lastReplies: Partial<Record<'unsure' | 'refused' | 'idle', PendingReply>> = {};
  let wake: () => void = () => undefined;

  const settle = () => {
    if (reply === null && published <= bounced + answered) {
      reply = lastReplies.unsure ?? lastReplies.refused ?? lastReplies.idle ?? null;
    }
    wake();
  };

  return {
    reply: () => reply,
    isHeld: () => reply === null && (lastReplies.unsure ?? lastReplies.refused) !== undefined,
    isOpen: () => reply === null && published > bounced + answered,
    published: () => published,
    undelivered: () => bounced + moved,
    mayBeDone: () => published > bounced,
    token: () => token,
    publish() {
      published++;
    },
    bounce() {
      bounced++;
      settle();
    },
    recordReply(answer) {
      answered++;
      const outcome = isCommand ? outcomeOf(answer) : 'done';
      if (outcome === 'done') reply ??= answer;
      else if (outcome === 'moved') {
        moved++;
        token = tokenOf(answer) ?? token;
      } else lastReplies[outcome] = answer;
      // A repetition that was not executed says nothing about the earlier attempt, so keep waiting
      // for that one.
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
 * The outcome of an attempt by its reply. `moved`: the worker had lost the partition and did
 * nothing; only gateways see this. `idle`: the worker did nothing and will not. `unsure`: the
 * attempt may have been executed, as after an internal failure.
 */
function outcomeOf(answer: PendingReply): TryOutcome {
  if (answer.ok) return 'done';
  if (answer.error.startsWith('internal')) return 'unsure';
  if (answer.error !== 'unavailable') return 'refused';
  const outcome = answer.details?.outcome;
  return outcome === 'moved' ? 'moved' : outcome === 'not_done' ? 'idle' : 'unsure';
}

function tokenOf(answer: PendingReply): string | null {
  const token = answer.ok ? undefined : answer.details?.token;
  return typeof token === 'string' ? token : null;
}
