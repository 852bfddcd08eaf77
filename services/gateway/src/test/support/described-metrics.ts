// The metrics of a gateway as it declares them once all its parts are there.
import type { MetricDescription } from '@taskgraph/runtime/telemetry/metrics';
import { noLimits } from '../../limits/limits.ts';
import { createGatewayMetrics } from '../../metrics.ts';
import type { Connections } from '../../socket/connections.ts';
import type { Places } from '../../socket/socket-quotas.ts';

export function describedMetrics(): readonly MetricDescription[] {
  const metrics = createGatewayMetrics();
  metrics.watchLimits(noLimits);
  const places = { refused: {} as Places['refused'] };
  const counts = { open: () => 0, bodyBytes: () => 0, answerBytes: () => 0, cutOff: () => 0 };
  const requests = { ...counts, refused: {} as never };
  const connections = {
    waiting: () => 0,
    bufferedBytes: () => 0,
    ended: {} as Connections['ended'],
    refused: {} as never,
  };
  const wrongTokens = { refused: () => 0 };
  const room = { underWay: () => 0, refused: { busy: 0, full: 0 } };
  const parts = { connections, places, requests, wrongTokens, room };
  metrics.watch({ sockets: () => 0, rooms: () => 0, held: () => 0, ...parts });
  return metrics.metrics.describe();
}
