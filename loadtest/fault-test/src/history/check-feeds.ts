// Feeds have neither gaps nor duplicates, a pushed slice equals the stored one of that number, and
// each replica ends equal to a read. Rules: EVT1, EVT2.
import type { Anomaly, Connection, ReplicaLog, StoredData } from './history.ts';

export function checkFeeds(connections: readonly Connection[], { batches, entries }: StoredData): Anomaly[] {
  const found: Anomaly[] = [];
  const numbered = new Map<string, string>();
  for (const { id, feeds } of batches) {
    for (const [feed, seq] of Object.entries(feeds)) {
      const before = numbered.get(`${feed} ${seq}`);
      if (before !== undefined)
        found.push({ kind: 'a feed has a number twice', what: `${feed} ${seq}`, about: [before, id] });
      numbered.set(`${feed} ${seq}`, id);
    }
  }
  const last = new Map<string, number>();
  for (const { feed, seq } of [...entries].sort((one, other) => one.seq - other.seq)) {
    if ((last.get(feed) ?? 0) !== seq - 1)
      found.push({
        kind: 'a feed has a hole or a number twice',
        what: `${feed}: ${last.get(feed)}, then ${seq}`,
        about: [],
      });
    if (!numbered.has(`${feed} ${seq}`))
      found.push({ kind: 'a number has no batch', what: `${feed} ${seq}`, about: [] });
    last.set(feed, seq);
  }
  if (numbered.size !== entries.length)
    found.push({ kind: 'a batch has no number', what: `${entries.length} of ${numbered.size} are there`, about: [] });
  return [...found, ...connections.flatMap((connection) => checkPushes(connection, numbered))];
}

function checkPushes({ client, pushes }: Connection, numbered: ReadonlyMap<string, string>): Anomaly[] {
  const heard = new Set<string>();
  return pushes.flatMap(({ feed, seq, batch }) => {
    const number = `${feed} ${seq}`;
    const about = [{ client, feed, seq, batch }];
    if (numbered.get(number) !== batch)
      return [{ kind: 'a push differs from the stored batch', what: `${numbered.get(number)}`, about }];
    if (heard.has(number)) return [{ kind: 'a slice was pushed twice', what: `${number} to ${client}`, about }];
    heard.add(number);
    return [];
  });
}

export function checkReplicas(replicas: readonly ReplicaLog[]): Anomaly[] {
  return replicas.flatMap(({ client, last, read }) => {
    const ids = new Set([...Object.keys(last), ...Object.keys(read)]);
    const off = [...ids].filter((id) => last[id] !== read[id]);
    if (off.length === 0) return [];
    const about = off.slice(0, 3).map((id) => ({ id, replica: last[id] ?? null, read: read[id] ?? null }));
    return [{ kind: 'a replica differs from the store', what: `${client}: ${off.length} entities`, about }];
  });
}
