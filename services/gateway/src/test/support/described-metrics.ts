// The metrics that a complete gateway declares.
import type { MetricDescription } from '@taskgraph/runtime/telemetry/metrics';
import { noLimits } from '../../limits/limits.ts';
import { createGatewayMetrics, type MetricSources } from '../../metrics.ts';

const none = () => 0;

/** Sources without any load. */
export const idleSources: MetricSources = {
  limits: noLimits,
  sockets: none,
  rooms: none,
  held: none,
  connections: { waiting: none, bufferedBytes: none, ended: {}, refused: {} },
  quotas: { refused: {} },
  requests: { open: none, bodyBytes: none, answerBytes: none, cutOff: none, refused: {} },
  compression: { bytes: {} },
  waitingCalls: { count: none, refused: () => ({}) },
  unseen: none,
  calls: { underWay: none, refused: {} },
};

export function describedMetrics(): readonly MetricDescription[] {
  const metrics = createGatewayMetrics();
  metrics.watch(idleSources);
  return metrics.metrics.describe();
}
