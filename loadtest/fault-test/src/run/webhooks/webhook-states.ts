// Judges the states of webhooks as the service lists them at the end of a run. Rules: HOOK8, HOOK10, HOOK12.
import type { Webhook } from '@taskgraph/client';
import type { Anomaly } from '../../history/history.ts';

/** Longer than the second delay of HOOK8, one minute with its spread. The third one is five minutes. */
const SOON_MS = 90_000;

export type WebhookState = Pick<Webhook, 'state' | 'reason' | 'nextAttempt'>;

export interface NamedState {
  readonly name: string;
  /** Undefined if the service does not list it. */
  readonly state: WebhookState | undefined;
}

/** Whether the next attempt is so late, after several failures of the receiver, that a run cannot wait for it. */
export function isPostponed(state: WebhookState | undefined, nowMs: number): boolean {
  if (state === undefined || state.state === 'disabled' || state.nextAttempt === null) return false;
  return Date.parse(state.nextAttempt) > nowMs + SOON_MS;
}

/** The receiver answers nothing that disables a webhook, and no run lasts three days. */
export function disabledWebhooks(states: readonly NamedState[]): Anomaly[] {
  return states
    .filter(({ state }) => state === undefined || state.state === 'disabled')
    .map(({ name, state }) => ({ kind: 'a webhook was disabled', what: `${name}: ${state?.reason}`, about: [state] }));
}

/** Those that have not sent everything although their receiver accepts all messages. */
export function busyWebhooks(states: readonly NamedState[]): Anomaly[] {
  return states
    .filter(({ state }) => state?.state !== 'active' || state.nextAttempt !== null)
    .map(({ name, state }) => ({
      kind: 'a webhook does not continue on its own',
      what: `${name}: ${state?.state}, next attempt ${state?.nextAttempt}`,
      about: [state],
    }));
}
