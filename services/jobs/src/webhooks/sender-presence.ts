// Whether a hooks service answers. While none does, one run at a time is a probe, and all others do
// not begin: each would build a message that nobody sends. Pure. Rule: HOOK10.
import type { WebhookSendResult } from '@taskgraph/bus/requests/webhook-requests';
import type { Log } from '@taskgraph/runtime/telemetry/log';
import { WEBHOOK_TIMEOUT_MS } from '@taskgraph/wire/bus/webhook-messages';

/** Until the first probe; it doubles with each further one. */
const FIRST_PROBE_MS = 2_000;
const LAST_PROBE_MS = 60_000;
/**
 * A lost answer says that no service answers only if none has answered for so long: with several, the
 * others continue.
 */
const SILENCE_MS = WEBHOOK_TIMEOUT_MS;

export interface SenderPresence {
  /** Those of these due webhooks for which a run is useful now. */
  admit<T>(due: readonly T[]): readonly T[];
  /** Whether a run may begin. If no hooks service has answered lately, that run is the probe. */
  mayBegin(): boolean;
  /** The result of a request to hooks services. */
  note(outcome: WebhookSendResult['outcome']): void;
}

/** Logs once that no hooks service answers, and once that one does again. */
export function createSenderPresence(log: Log, nowMs: () => number): SenderPresence {
  let [isAbsent, probeMs, delayMs] = [false, 0, FIRST_PROBE_MS];
  let answeredMs = Number.NEGATIVE_INFINITY;
  return {
    admit: (due) => (!isAbsent ? due : nowMs() < probeMs ? [] : due.slice(0, 1)),
    mayBegin() {
      if (!isAbsent) return true;
      if (nowMs() < probeMs) return false;
      delayMs = Math.min(2 * delayMs, LAST_PROBE_MS);
      probeMs = nowMs() + delayMs;
      return true;
    },
    note(outcome) {
      if (outcome === 'silent' && nowMs() - answeredMs < SILENCE_MS) return;
      const isAnswer = outcome !== 'absent' && outcome !== 'silent';
      if (isAnswer) answeredMs = nowMs();
      if (isAbsent !== isAnswer) return;
      isAbsent = !isAnswer;
      [probeMs, delayMs] = [nowMs() + FIRST_PROBE_MS, FIRST_PROBE_MS];
      if (isAbsent) log.warn({}, 'no hooks service answers: messages of webhooks wait for one');
      else log.info({}, 'a hooks service answers again');
    },
  };
}
