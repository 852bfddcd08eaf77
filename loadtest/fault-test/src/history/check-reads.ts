// Every page shows each entity as it was at some moment between request and answer, and omits no
// entity that existed throughout. A page has no common moment for all entities; slices bring a
// reader to one. Rules: EVT3, ACL7.
import type { Anomaly, Read, Version } from './history.ts';
import { at, levelAt, type OwnerOrder, type SerialOrders } from './serial-order.ts';

export function checkReads(orders: SerialOrders, reads: readonly Read[]): Anomaly[] {
  return reads.flatMap((read) => {
    const seen = new Map<OwnerOrder, Version[]>([...orders.owners.values()].map((owner) => [owner, []]));
    const unknown: Version[] = [];
    for (const version of read.seen) {
      const owner = orders.entityOf(version.id)?.owner;
      if (owner === undefined) unknown.push(version);
      else seen.get(owner)?.push(version);
    }
    const found: Anomaly[] = [...seen].flatMap(([owner, versions]) => checkEntities(orders, owner, read, versions));
    if (unknown.length > 0)
      found.push({
        kind: 'a page shows an entity that is not stored',
        what: JSON.stringify(unknown.slice(0, 3)),
        about: [],
      });
    return found;
  });
}

function checkEntities(orders: SerialOrders, owner: OwnerOrder, read: Read, seen: readonly Version[]): Anomaly[] {
  const { calledMs, endedMs, client, user } = read;
  const [first, last] = [owner.lowest(calledMs), owner.highest(endedMs)];
  const shown = new Map(seen.map(({ id, version }) => [id, version]));
  const wrong = [...owner.entities.keys()].filter((id) => {
    for (let position = first; position <= last; position++)
      if (visibleAt(orders, owner, { id, user, position }) === shown.get(id)) return false;
    return true;
  });
  if (wrong.length === 0) return [];
  const about = wrong.slice(0, 3).map((id) => ({
    id,
    shown: shown.get(id) ?? null,
    should: visibleAt(orders, owner, { id, user, position: first }) ?? null,
    steps: owner.entities.get(id)?.steps.slice(-5),
  }));
  const what = `${client} saw ${wrong.length} entities of ${owner.id} as at no position from ${first} to ${last}`;
  return [{ kind: 'a page matches no moment', what, about: [{ client, user, calledMs, endedMs }, ...about] }];
}

interface VisibilityQuery {
  readonly id: string;
  readonly user: string;
  readonly position: number;
}

/** The version that the user sees at this position; undefined if the entity is not visible. */
function visibleAt(
  orders: SerialOrders,
  owner: OwnerOrder,
  { id, user, position }: VisibilityQuery,
): number | undefined {
  const entity = owner.entities.get(id);
  const step = at(entity?.steps ?? [], position);
  if (entity === undefined || step === undefined || !step.active) return undefined;
  return levelAt(orders, entity, user, position) === null ? undefined : step.version;
}
