// Checks a whole run: commands, claims, feeds, orders, pages, leaks, replicas and webhooks, each in
// its own file.
import { checkClaimRefusals } from './check-claim-refusals.ts';
import { checkClaims } from './check-claims.ts';
import { checkCommands, keyOf } from './check-commands.ts';
import { checkFeeds, checkReplicas } from './check-feeds.ts';
import { checkLeaks } from './check-leaks.ts';
import { checkOrder } from './check-order.ts';
import { checkReads } from './check-reads.ts';
import type { Anomaly, History, StoredData } from './history.ts';
import { orderBatches, type SerialOrders } from './serial-order.ts';
import { checkDue, checkMissedDates } from './webhooks/check-due.ts';
import { checkMessages } from './webhooks/check-messages.ts';
import { checkMissed } from './webhooks/check-missed.ts';
import { checkRanges } from './webhooks/check-ranges.ts';
import { checkWebhookLeaks } from './webhooks/check-webhook-leaks.ts';
import { datedNodesOf } from './webhooks/dated-nodes.ts';

export function check(history: History, stored: StoredData): Anomaly[] {
  const { commands, claims, reads, connections, replicas, webhooks, clock } = history;
  const byKey = new Map(commands.map((command) => [keyOf(command), command]));
  const orders = orderBatches(stored, byKey);
  const due = { orders, clock, dated: datedNodesOf(orders) };
  return [
    ...checkCommands(commands, stored),
    ...checkClaims(claims, { orders, commands: byKey }),
    ...checkClaimRefusals(orders, byKey),
    ...checkFeeds(connections, stored),
    ...checkOrder(orders, byKey),
    ...checkReads(orders, reads),
    ...checkLeaks(orders, connections, replicas),
    ...checkReplicas(replicas),
    ...webhooks.flatMap((webhook) => [
      ...checkMessages(orders, webhook),
      ...checkRanges(orders, webhook),
      ...checkMissed(orders, webhook),
      ...checkWebhookLeaks(orders, webhook),
      ...checkDue(due, webhook),
    ]),
  ];
}

/** What webhooks have not received yet, or never will. */
export function findMissed({ commands, webhooks, clock }: History, stored: StoredData): Anomaly[] {
  const orders: SerialOrders = orderBatches(stored, new Map(commands.map((command) => [keyOf(command), command])));
  const due = { orders, clock, dated: datedNodesOf(orders) };
  return webhooks.flatMap((webhook) => [...checkMissed(orders, webhook), ...checkMissedDates(due, webhook)]);
}
