// The metrics of a hooks service; docs/metrics.md lists them.
import { createMetrics, type Metrics, WAITING_SECONDS } from '@taskgraph/runtime/telemetry/metrics';
import { recordedTraceId } from '@taskgraph/runtime/telemetry/tracing';
import { WEBHOOK_SEND_OUTCOMES } from '@taskgraph/wire/bus/webhook-messages';
import { FAILURE_REASONS } from './failure.ts';
import type { SendEvent, Sender } from './sender.ts';

export interface SenderMetrics {
  readonly metrics: Metrics;
  /** Counts the result of one request. */
  readonly count: (event: SendEvent) => void;
  /** Shows the numbers of this sender. */
  watch(sender: Pick<Sender, 'active' | 'spare'>): void;
}

export function createSenderMetrics(): SenderMetrics {
  const metrics = createMetrics();
  let watched: Pick<Sender, 'active' | 'spare'> | null = null;
  const sends = metrics.counter(
    'taskgraph_hook_sends_total',
    'Requests to send a message of a webhook. busy and late are no attempts; busy includes faults of name servers and the proxy.',
    ['outcome'],
  );
  const failures = metrics.counter(
    'taskgraph_hook_failures_total',
    'Attempts that got no answer over HTTP, and faults of name servers and the proxy; forbidden counts addresses that are not allowed.',
    ['reason'],
  );
  const observeDuration = metrics.histogram(
    'taskgraph_hook_send_duration_seconds',
    'Duration of attempts that got an answer over HTTP.',
    { labels: ['outcome'], buckets: WAITING_SECONDS },
  );
  metrics.gauge('taskgraph_hook_sends_active', 'Messages that are being sent.', [], () => watched?.active() ?? 0);
  metrics.gauge(
    'taskgraph_hook_spare_connections',
    'Open connections that wait for a message, because theirs was late.',
    [],
    () => watched?.spare() ?? 0,
  );
  // Initialize all series, so that rates are correct from the first request on.
  for (const outcome of WEBHOOK_SEND_OUTCOMES) sends.inc({ outcome }, 0);
  for (const reason of FAILURE_REASONS) failures.inc({ reason }, 0);
  return {
    metrics,
    count({ outcome, reason, durationMs }) {
      sends.inc({ outcome });
      if (reason !== undefined) failures.inc({ reason });
      if (outcome !== 'delivered' && outcome !== 'refused') return;
      observeDuration({ outcome }, durationMs / 1_000, recordedTraceId());
    },
    watch(sender) {
      watched = sender;
    },
  };
}
