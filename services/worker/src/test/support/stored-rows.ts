// Compares the state that a group's decision leaves in memory with a load after its write.
import type { ReadSet } from '@taskgraph/domain/state/read-set';
import { isWhole, type NodeState } from '@taskgraph/domain/state/state';
import { emptyWorld, type World } from '@taskgraph/domain/state/world';
import { loadInto } from '@taskgraph/graph-store/commit/load';
import type { Database } from '@taskgraph/graph-store/driver/database';
import type { GroupOutcome } from '../../commit/group-environment.ts';

const BOUNDS = { entities: 60_000, rows: 1_000_000, large: false };

type GroupStates = Pick<GroupOutcome, 'before' | 'after'>;

/** One line for each difference between the reload and the decision. */
export async function findUnwritten(database: Database, decided: GroupStates): Promise<string[]> {
  const stored = await reload(database, decided);
  return COMPARED.flatMap(([list, comparable]) =>
    keysOf(decided, list).flatMap((key) => {
      const [was, is] = [decided.after, stored].map((world) => world[list].get(key));
      const [one, other] = [was, known(was, is)].map((value) => JSON.stringify(comparable(value as never)));
      return one === other ? [] : [`${list} of ${key}: decided ${one}, written ${other}`];
    }),
  );
}

/**
 * The stored fields that the group had loaded. It does not load the content of a link's ends, or
 * the rest of a list that was cut for display.
 */
function known(was: unknown, is: unknown): unknown {
  if (typeof was === 'object' && was !== null && 'exhaustive' in was && was.exhaustive === false) return was;
  const isOutline = typeof was === 'object' && was !== null && 'openBlockers' in was && !isWhole(was as NodeState);
  if (!isOutline || typeof is !== 'object' || is === null) return is;
  return Object.fromEntries(Object.entries(is).filter(([field]) => field in was));
}

/** Reloads the entities that the group had loaded or created. */
async function reload(database: Database, decided: GroupStates): Promise<World> {
  const keys = (list: keyof World) => keysOf(decided, list);
  const pairs = (list: keyof World) => keys(list).map((key) => key.split('|') as [string, string]);
  // For cached nodes, only the further loads show that they exist.
  const granted = [...keys('grants'), ...keys('copies')].map((key) => key.slice(0, key.indexOf('|')));
  const nodes = new Set([...keys('nodes'), ...keys('degrees'), ...keys('grantsOn'), ...granted]);
  const readSet: ReadSet = {
    nodes: [...nodes],
    links: keys('links'),
    linksOn: keys('linksOn'),
    activeOn: keys('activeOn'),
    between: pairs('between'),
    targetsOf: keys('primaryFrom'),
    // A list that was cut for display says nothing about the omitted items.
    sourcesOf: keys('primaryInto').filter((id) => decided.after.primaryInto.get(id)?.exhaustive),
    members: keys('members'),
    neighbours: keys('neighbours'),
    below: [...keys('propagatingInto'), ...keys('propagatingFrom')],
    feeds: keys('feeds'),
    grants: keys('grants'),
    grantsOn: keys('grantsOn'),
    copiesOf: keys('copies'),
    // By owner: the group may have deleted the node that led to the count.
    grantsTo: pairs('grantCounts').map(([owner, email]) => ({ node: '', owner, email })),
    linksBy: pairs('linksBy').map(([one, other]) => (nodes.has(one) ? pairOf(one, other) : pairOf(other, one))),
    batches: keys('batches'),
    deleted: keys('deleted'),
  };
  const world = emptyWorld();
  const transaction = database.begin(30_000);
  try {
    await loadInto(transaction, world, readSet, BOUNDS, []);
  } finally {
    await transaction.rollback();
  }
  return world;
}

function pairOf(node: string, owner: string): { node: string; owner: string } {
  return { node, owner };
}

function keysOf({ before, after }: GroupStates, list: keyof World): string[] {
  return [...new Set([...before[list].keys(), ...after[list].keys()])];
}

type Comparable = (value: never) => unknown;

const state: Comparable = (value: object | null | undefined) => (value ? sorted(value) : null);
const list: Comparable = (value: ReadonlyMap<string, unknown> | ReadonlySet<string> | undefined) =>
  [...(value ?? [])].map((entry) => JSON.stringify(entry)).sort();

/**
 * The compared part of each list. A separate step advances a feed's number, so it is not part of the
 * decision.
 */
const COMPARED: readonly (readonly [list: keyof World, comparable: Comparable])[] = [
  ['nodes', state],
  ['links', state],
  ['degrees', (degree: number | undefined) => degree ?? 0],
  ['linksBy', (count: number | undefined) => count ?? 0],
  ['grantCounts', (count: number | undefined) => count ?? 0],
  ['linksOn', list],
  ['activeOn', list],
  ['between', list],
  ['primaryFrom', list],
  [
    'primaryInto',
    (inbound: { links: ReadonlySet<string>; exhaustive: boolean } | undefined) =>
      inbound?.exhaustive === false ? null : list(inbound?.links as never),
  ],
  ['members', list],
  ['propagatingInto', list],
  ['propagatingFrom', list],
  ['neighbours', list],
  ['feeds', (feed: object | null | undefined) => (feed ? sorted({ ...feed, seq: 0 }) : null)],
  ['grants', state],
  ['grantsOn', list],
  ['copies', list],
  [
    'batches',
    (batch: { undone: boolean; last: string | null } | null | undefined) => (batch ? [batch.undone, batch.last] : null),
  ],
  ['deleted', (readers: readonly string[] | undefined) => [...(readers ?? [])].sort()],
];

function sorted(value: object): unknown {
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}
