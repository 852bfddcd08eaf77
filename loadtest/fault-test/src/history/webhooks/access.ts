// Access of a webhook's user while a body may have been built. Rule: HOOK7.
import type { HookMessage } from '../history.ts';
import { type Entity, levelAt, type SerialOrders } from '../serial-order.ts';
import { checkedAt } from './ranges.ts';

/** Whether the user had access at some moment at which the body may have been built. */
export function hadAccess(orders: SerialOrders, entity: Entity, user: string, message: HookMessage): boolean {
  const { first, last } = checkedAt(entity.owner, message);
  for (let position = first; position <= last; position++)
    if (levelAt(orders, entity, user, position) !== null) return true;
  return false;
}
