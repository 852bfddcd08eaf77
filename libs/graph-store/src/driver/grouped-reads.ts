// Statements of the same kind that wait at the same time run as one. A group begins after each of them
// arrived, and sees everything that the earlier statements of their orders saw: each is as fresh as alone.
import { createCallGroups } from './call-groups.ts';
import type { Database, ReadOrder, Row } from './database.ts';

/** A statement that looks up each item of a list on its own, and returns the item's id as `id`. */
export interface GroupableStatement {
  /** The parameter with the list. Its items are ids, or objects with an id. All others are the same in each call. */
  readonly list: string;
  /** Maximum items of a call in a group; a longer one runs alone. */
  readonly most: number;
}

/** The latest `now` of a group counts for all. */
const CALLS_OF_GROUP = 16;
/** Of each kind of statement. */
const GROUPS_AT_ONCE = 2;

interface GroupedCall {
  readonly parameters: Row;
  readonly order: ReadOrder | undefined;
  readonly items: ReadonlyMap<string, unknown>;
}

/** The database with these statements, by their text, in groups. */
export function withGroupedReads(database: Database, statements: ReadonlyMap<string, GroupableStatement>): Database {
  const { read } = database;
  const groups = new Map(
    [...statements].map(([cypher, { list, most }]) => {
      const run = (calls: readonly GroupedCall[]) => runGroup({ read, cypher, list, calls });
      return [cypher, { list, most, call: createCallGroups({ run, most: CALLS_OF_GROUP, atOnce: GROUPS_AT_ONCE }) }];
    }),
  );
  return {
    ...database,
    read(cypher, parameters, order) {
      const group = groups.get(cypher);
      const list = group === undefined ? [] : (parameters[group.list] as readonly unknown[]);
      if (group === undefined || list.length > group.most) return read(cypher, parameters, order);
      return group.call({ parameters, order, items: new Map(list.map((item) => [idOf(item), item])) });
    },
  };
}

function idOf(item: unknown): string {
  return typeof item === 'string' ? item : (item as { readonly id: string }).id;
}

interface Group {
  readonly read: Database['read'];
  readonly cypher: string;
  readonly list: string;
  readonly calls: readonly GroupedCall[];
}

async function runGroup({ read, cypher, list, calls }: Group): Promise<Row[][]> {
  const items = new Map<string, unknown>();
  for (const call of calls) {
    for (const [id, item] of call.items) {
      if (items.has(id) && JSON.stringify(items.get(id)) !== JSON.stringify(item))
        throw new Error('an item differs between the calls of a group: each runs alone');
      items.set(id, item);
    }
  }
  const before = new Map(calls.map((call) => [call, call.order?.seen ?? []]));
  const order: ReadOrder = { seen: [...new Set([...before.values()].flat())] };
  const [latest] = calls.map((call) => call.parameters).sort((one, other) => (nowOf(one) > nowOf(other) ? -1 : 1));
  const rows = await read(cypher, { ...latest, [list]: [...items.values()] }, order);
  for (const [{ order: own }, seen] of before) {
    if (own !== undefined) own.seen = [...own.seen.filter((one) => !seen.includes(one)), ...order.seen];
  }
  return calls.map((call) => rows.filter(({ id }) => call.items.has(id as string)));
}

/** ISO 8601, in a statement about a moment. */
function nowOf({ now }: Row): string {
  return typeof now === 'string' ? now : '';
}
