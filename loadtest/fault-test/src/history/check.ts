// Checks a whole run: commands, claims, feeds, orders, pages, leaks and replicas, each in its own
// file.
import { checkClaims } from './check-claims.ts';
import { checkCommands, keyOf } from './check-commands.ts';
import { checkFeeds, checkReplicas } from './check-feeds.ts';
import { checkLeaks } from './check-leaks.ts';
import { checkOrder } from './check-order.ts';
import { checkReads } from './check-reads.ts';
import type { Anomaly, History, StoredData } from './history.ts';
import { orderBatches } from './serial-order.ts';

export function check(history: History, stored: StoredData): Anomaly[] {
  const { commands, claims, reads, connections, replicas } = history;
  const byKey = new Map(commands.map((command) => [keyOf(command), command]));
  const orders = orderBatches(stored, byKey);
  return [
    ...checkCommands(commands, stored),
    ...checkClaims(claims, { orders, commands: byKey }),
    ...checkFeeds(connections, stored),
    ...checkOrder(orders, byKey),
    ...checkReads(orders, reads),
    ...checkLeaks(orders, connections, replicas),
    ...checkReplicas(replicas),
  ];
}
