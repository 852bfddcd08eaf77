// Readers receive only visible data: each version that reached a reader was visible to that reader
// while it was current, and a slice of a shared feed reaches only readers with a grant at that
// time. Rule: ACL7.
import { subjectOfFeed } from '@taskgraph/wire/feeds';
import type { Anomaly, Connection, ReplicaLog, Version } from './history.ts';
import { levelAt, type SerialOrders } from './serial-order.ts';

export function checkLeaks(
  orders: SerialOrders,
  connections: readonly Connection[],
  replicas: readonly ReplicaLog[],
): Anomaly[] {
  const sockets = connections.flatMap(({ client, user, pushes }) =>
    pushes.flatMap((push) => [
      ...checkFeed(orders, { client, user }, push),
      ...push.versions.flatMap((version) => checkVersion(orders, { client, user }, version)),
    ]),
  );
  const shown = replicas.flatMap(({ client, user, shown: versions }) =>
    versions.flatMap((version) => checkVersion(orders, { client, user }, version)),
  );
  return [...sockets, ...shown];
}

interface Reader {
  readonly client: string;
  readonly user: string;
}

function checkFeed(orders: SerialOrders, { client, user }: Reader, { feed, seq, batch }: Connection['pushes'][number]) {
  const subject = subjectOfFeed(feed);
  if (subject === user) return [];
  const root = orders.entityOf(subject);
  const position = root?.owner.positionOf.get(batch);
  const may = root !== undefined && position !== undefined && levelAt(orders, root, user, position) !== null;
  if (may) return [];
  const what = `${feed} ${seq} of ${batch} reached ${client}`;
  return [
    { kind: 'a slice reached a reader without access', what, about: [{ user, position }, grantsOn(orders, subject)] },
  ];
}

function checkVersion(orders: SerialOrders, { client, user }: Reader, { id, version }: Version): Anomaly[] {
  const entity = orders.entityOf(id);
  if (entity === undefined)
    return [{ kind: 'a reader received an entity that is not stored', what: id, about: [client] }];
  if (entity.owner.id === user) return [];
  const step = entity.steps.findIndex((each) => each.version === version);
  const from = entity.steps[step]?.position;
  if (from === undefined)
    return [{ kind: 'a reader received an entity that is not stored', what: `${id} at ${version}`, about: [client] }];
  // Several steps of one batch share one position.
  const until = Math.max(from + 1, entity.steps[step + 1]?.position ?? entity.owner.batches.length + 1);
  for (let position = from; position < until; position++)
    if (levelAt(orders, entity, user, position) !== null) return [];
  const what = `${id} at ${version} reached ${client}`;
  return [
    {
      kind: 'a version reached a reader who could never see it',
      what,
      about: [{ user, from, until }, grantsOn(orders, entity.root)],
    },
  ];
}

function grantsOn(orders: SerialOrders, root: string) {
  const grants = orders.entityOf(root)?.owner.grants ?? new Map();
  return [...grants].filter(([key]) => key.startsWith(root)).map(([key, steps]) => ({ key, steps: steps.slice(-6) }));
}
