// The serial order of each owner, taken from the numbers of the owner's own feed. Every check
// compares with this one order, so none has to search for a valid order.
import { userFeed } from '@taskgraph/wire/feeds';
import type { Batch, Change, Command, StoredData } from './history.ts';

/** The state of an entity from a position on. */
interface Step {
  readonly position: number;
  readonly version: number;
  /** Whether it exists and is not in the trash. */
  readonly active: boolean;
}

export interface GrantStep {
  readonly position: number;
  /** Null without a grant. */
  readonly level: number | null;
}

export interface Entity {
  readonly owner: OwnerOrder;
  readonly kind: 'node' | 'link';
  /** The root of its tree, or its own id. */
  readonly root: string;
  readonly steps: Step[];
}

/**
 * The history of one owner's entities. Position 0 is before the first batch, position n after the
 * n-th.
 */
export interface OwnerOrder {
  readonly id: string;
  readonly batches: readonly Batch[];
  readonly positionOf: ReadonlyMap<string, number>;
  readonly entities: Map<string, Entity>;
  /** By the root's id and the grantee's e-mail. */
  readonly grants: Map<string, GrantStep[]>;
  /** The first position that includes every command acknowledged by then. */
  lowest(ms: number): number;
  /** The last position that includes no command requested later. */
  highest(ms: number): number;
}

export interface SerialOrders {
  readonly owners: ReadonlyMap<string, OwnerOrder>;
  readonly entityOf: (id: string) => Entity | undefined;
  readonly emailOf: (user: string) => string;
  readonly batchOf: (id: string) => Batch | undefined;
}

const grantKey = (root: string, email: string) => `${root} ${email}`;

/** The last step at or before the position. */
export function at<S extends { readonly position: number }>(steps: readonly S[], position: number): S | undefined {
  let [low, high] = [0, steps.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((steps[middle] as S).position <= position) low = middle + 1;
    else high = middle;
  }
  return steps[low - 1];
}

/** The user's level on the tree of the root at the position; null for none. */
export function levelAt(orders: SerialOrders, entity: Pick<Entity, 'owner' | 'root'>, user: string, position: number) {
  if (entity.owner.id === user) return 0;
  const steps = entity.owner.grants.get(grantKey(entity.root, orders.emailOf(user))) ?? [];
  return at(steps, position)?.level ?? null;
}

/** The grants of an owner's roots to a user, each with its changes. */
export function accessOf(
  { emailOf }: SerialOrders,
  { grants }: OwnerOrder,
  user: string,
): { readonly root: string; readonly steps: readonly GrantStep[] }[] {
  const ending = grantKey('', emailOf(user));
  return [...grants]
    .filter(([key]) => key.endsWith(ending))
    .map(([key, steps]) => ({ root: key.slice(0, -ending.length), steps }));
}

/** The numbers of a batch in a user's own feed and in shared feeds; none for an unknown batch. */
export function feedsOf({ batchOf }: SerialOrders, id: string, user: string): Readonly<Record<string, number>> {
  const feeds = Object.entries(batchOf(id)?.feeds ?? {});
  return Object.fromEntries(feeds.filter(([feed]) => feed === userFeed(user) || !feed.startsWith('user:')));
}

/**
 * Orders all batches. The graph must consist of trees whose nodes stay in their tree, with grants
 * on roots only, as the run makes them.
 */
export function orderBatches({ users, batches }: StoredData, commands: ReadonlyMap<string, Command>): SerialOrders {
  const owners = new Map(users.map(({ id }) => [id, orderOf(id, batches, commands)]));
  const all = new Map<string, Entity>();
  for (const owner of owners.values()) {
    for (const [index, { changes }] of owner.batches.entries())
      for (const change of changes) take(owner, index + 1, change, { changes, all });
  }
  const emails = new Map(users.map(({ id, email }) => [id, email]));
  const byId = new Map(batches.map((batch) => [batch.id, batch]));
  return {
    owners,
    entityOf: (id) => all.get(id),
    emailOf: (user) => emails.get(user) ?? '',
    batchOf: (id) => byId.get(id),
  };
}

function orderOf(id: string, all: readonly Batch[], commands: ReadonlyMap<string, Command>): OwnerOrder {
  const feed = userFeed(id);
  const number = (batch: Batch) => batch.feeds[feed] as number;
  const batches = all.filter((batch) => feed in batch.feeds).sort((one, other) => number(one) - number(other));
  const positionOf = new Map(batches.map((batch, index) => [batch.id, index + 1]));
  const asked = batches.map(({ key }) => commands.get(key));
  // An acknowledgement implies all earlier batches, and a later request cannot come before an
  // acknowledged command.
  const answers = asked
    .map((command, index) => ({ ms: answeredMs(command), position: index + 1 }))
    .sort((one, other) => one.ms - other.ms);
  const furthest = highestSoFar(answers.map(({ position }) => position));
  const answered = answers.map(({ ms }, index) => ({ position: ms, furthest: furthest[index] as number }));
  const calls = highestSoFar(asked.map((command) => command?.calledMs ?? Number.NEGATIVE_INFINITY));
  return {
    id,
    batches,
    positionOf,
    entities: new Map(),
    grants: new Map(),
    lowest: (ms) => at(answered, ms)?.furthest ?? 0,
    highest(ms) {
      const first = firstAfter(calls, ms);
      return first < 0 ? batches.length : first;
    },
  };
}

function highestSoFar(numbers: readonly number[]): number[] {
  let highest = Number.NEGATIVE_INFINITY;
  return numbers.map((number) => {
    highest = Math.max(highest, number);
    return highest;
  });
}

function answeredMs(command: Command | undefined): number {
  return command?.outcome.kind === 'done' ? command.endedMs : Infinity;
}

function firstAfter(ascending: readonly number[], ms: number): number {
  let [low, high] = [0, ascending.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ascending[middle] as number) > ms) high = middle;
    else low = middle + 1;
  }
  return low === ascending.length ? -1 : low;
}

interface BatchContext {
  readonly changes: readonly Change[];
  readonly all: Map<string, Entity>;
}

function take(owner: OwnerOrder, position: number, change: Change, { changes, all }: BatchContext): void {
  const { kind, id, after } = change;
  if (kind === 'grant') {
    // The batch also appears in the grantee's order.
    if (all.get(id)?.owner !== owner) return;
    const key = grantKey(id, change.email ?? '');
    const steps = owner.grants.get(key) ?? [];
    owner.grants.set(key, steps);
    steps.push({ position, level: after === null ? null : Number(after.level) });
    return;
  }
  const entity = all.get(id) ?? begin(owner, change, { changes, all });
  if (entity?.owner !== owner) return;
  const last = entity.steps.at(-1);
  const active = after !== null && after.inTrash !== true && (after.inTrash === false || (last?.active ?? true));
  entity.steps.push({ position, version: after === null ? Number.NaN : Number(after.version), active });
}

/** A new entity, if the batch appears in its owner's order. */
function begin(owner: OwnerOrder, { kind, id, after }: Change, { changes, all }: BatchContext): Entity | undefined {
  if (kind === 'grant' || after === null) return undefined;
  // A child is created with the link to its parent, which already exists.
  const parent = kind === 'link' ? after.target : changes.find((each) => each.after?.source === id)?.after?.target;
  const above = all.get(String(parent));
  if (above === undefined && after.ownerId !== owner.id) return undefined;
  if (above !== undefined && above.owner !== owner) return undefined;
  const entity: Entity = { owner, kind, root: above?.root ?? id, steps: [] };
  all.set(id, entity);
  owner.entities.set(id, entity);
  return entity;
}
