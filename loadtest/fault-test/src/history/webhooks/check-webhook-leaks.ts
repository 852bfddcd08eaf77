// A webhook's body has nothing that its user could not see while it was built: changes of entities of
// others only from times of access, and only while the user has access. Rules: HOOK2, HOOK5, HOOK7.
import { subjectOfFeed } from '@taskgraph/wire/feeds';
import type { Anomaly, HookEvent, HookMessage, WebhookLog } from '../history.ts';
import { levelAt, type SerialOrders } from '../serial-order.ts';
import { hadAccess } from './access.ts';

export function checkWebhookLeaks(orders: SerialOrders, webhook: WebhookLog): Anomaly[] {
  return webhook.messages.flatMap((message) => [
    ...Object.keys(message.feeds).flatMap((feed) => checkFeed(orders, webhook, message, feed)),
    ...message.events.flatMap((event) => checkEvent(orders, webhook, message, event)),
  ]);
}

function checkFeed(orders: SerialOrders, { client, user }: WebhookLog, message: HookMessage, feed: string): Anomaly[] {
  const subject = subjectOfFeed(feed);
  if (subject === user) return [];
  const root = orders.entityOf(subject);
  if (root !== undefined && hadAccess(orders, root, user, message)) return [];
  return [
    {
      kind: 'a webhook received the range of a feed without access',
      what: `${feed} in ${message.id} to ${client}`,
      about: [],
    },
  ];
}

function checkEvent(orders: SerialOrders, webhook: WebhookLog, message: HookMessage, event: HookEvent): Anomaly[] {
  const { client, user, root } = webhook;
  const entity = orders.entityOf(event.id);
  // The check of messages reports what is not stored.
  const position = entity?.owner.positionOf.get(event.batch);
  if (entity === undefined || position === undefined) return [];
  const what = `${event.type} of ${event.id} by ${event.batch} in ${message.id} to ${client}`;
  const about = [{ user, position, arrivedMs: message.arrivedMs, stalledMs: message.stalledMs }, event];
  const found: Anomaly[] = [];
  if (root !== null && entity.root !== root)
    found.push({ kind: 'a webhook of a branch received another branch', what, about });
  if (entity.owner.id === user || event.type.startsWith('access.')) return found;
  // What left with the loss of access was visible before.
  const couldSee = [position, position - 1].some((each) => levelAt(orders, entity, user, each) !== null);
  if (!couldSee) found.push({ kind: 'a webhook received a change of a time without access', what, about });
  if (event.isWhole && !hadAccess(orders, entity, user, message))
    found.push({ kind: 'a webhook received fields after access was lost', what, about });
  return found;
}
