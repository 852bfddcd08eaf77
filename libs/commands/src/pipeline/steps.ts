// The steps of a command. Each step is decided on the state after the steps before it, with its
// changes of memberships and feeds. Most commands have one step; all steps make one batch. Rules:
// BAT3 to BAT5.
import { accessLossOf } from '@taskgraph/domain/access/access-losses';
import { updateFeeds } from '@taskgraph/domain/access/feed-access';
import { updateMemberships } from '@taskgraph/domain/access/membership';
import { permissionsOf } from '@taskgraph/domain/access/permissions';
import { createDraft } from '@taskgraph/domain/decision/draft';
import { type Change, type FeedChange, isVisible, type MemberChange } from '@taskgraph/domain/state/change';
import { netChanges } from '@taskgraph/domain/state/net-change';
import { mergeReadSets, NotLoaded, NotLocked, type ReadSet } from '@taskgraph/domain/state/read-set';
import type { Reader } from '@taskgraph/domain/state/state';
import type { Work } from '@taskgraph/domain/state/work';
import { layerOver, mergeLayer, type World } from '@taskgraph/domain/state/world';
import { isRefusal } from '@taskgraph/wire/errors';
import type { Decide, Steps } from '../define-command.ts';

/** The result of all steps. */
export interface StepsResult {
  readonly before: World;
  readonly after: World;
  readonly changes: readonly Change[];
}

export interface StepSequence extends Steps {
  finish(): StepsResult;
}

/** Leaves `base` unchanged. `now` is the batch's timestamp. `work` counts all steps together. */
export function createSteps(
  base: World,
  actor: Reader,
  { now, work }: { readonly now: string; readonly work: Work },
): StepSequence {
  const taken: (readonly Change[])[] = [];
  let top = base;
  let movesLinks = false;
  const take = (decide: Decide) => {
    const draft = createDraft(top, { now, work, movesLinks });
    const decision = decide(draft);
    if (isRefusal(decision)) return decision;
    const moves = updateMemberships(draft.world, draft.changes, work, (id) => sawNode(draft.base, actor, { id, now }));
    if (isRefusal(moves)) return moves;
    const feeds = updateFeeds(draft.world, draft.changes);
    work.change(feeds.length);
    const changes = [...draft.changes, ...moves, ...feeds];
    if (taken.length === 0) top = draft.world;
    else mergeLayer(top, draft.world);
    taken.push(changes);
    movesLinks ||= changes.some(({ kind }) => kind === 'link');
    return { decision, changes };
  };
  return {
    read: (read) => read(createDraft(top, { now, work, movesLinks })),
    take,
    takeEach(items, handle) {
      const missing = createMissingLoads();
      for (const [index, item] of items.entries()) {
        const outcome = missing.collect(() => handle(item, index));
        // After an item with missing data, later items run only to collect theirs.
        if (missing.any()) continue;
        if (outcome === 'later') throw new Error(`item ${index} waits for one that lacks nothing`);
        if (outcome !== null) return outcome;
      }
      missing.throwMissing();
      return null;
    },
    finish: () => (taken.length <= 1 ? singleStep(base, top, taken[0] ?? []) : joinSteps(base, top, taken)),
  };
}

/**
 * Whether the caller saw a node before a step. A refusal names nodes of the step itself by its
 * index.
 */
function sawNode(world: World, actor: Reader, { id, now }: { readonly id: string; readonly now: string }): boolean {
  const node = world.nodes.get(id);
  if (node === null || node === undefined) return false;
  return permissionsOf(world, actor, now).level(node) !== null;
}

function singleStep(before: World, after: World, changes: readonly Change[]): StepsResult {
  return { before, after, changes };
}

/** Memberships and feeds are combined to their net changes; other changes stay separate steps. */
function joinSteps(base: World, after: World, taken: readonly (readonly Change[])[]): StepsResult {
  const changes: Change[] = [];
  const members = new Map<string, MemberChange>();
  const feeds = new Map<string, FeedChange>();
  for (const [step, of] of taken.entries()) {
    for (const change of of) {
      if (change.kind === 'member') join(members, `${change.id}|${change.feed}`, withStep(change, step));
      else if (change.kind === 'feed') join(feeds, change.id, change);
      else changes.push(isVisible(change) ? { ...change, step } : change);
    }
  }
  const before = withoutNew(base, after, changes);
  const moved = [...members.values()].filter((change) => change.before?.via !== change.after?.via);
  return { before, after, changes: [...changes, ...moved, ...netFeeds(after, changes, feeds)] };
}

function withStep(change: MemberChange, step: number): MemberChange {
  return change.before === null ? { ...change, since: step } : change;
}

function join<C extends MemberChange | FeedChange>(all: Map<string, C>, key: string, change: C): void {
  const first = all.get(key);
  all.set(key, first === undefined ? change : { ...change, before: first.before });
}

/**
 * A feed's epoch grows by one if a reader loses access in the net result, and otherwise not at all
 * (EVT4).
 */
function netFeeds(after: World, changes: readonly Change[], feeds: ReadonlyMap<string, FeedChange>): FeedChange[] {
  const left = new Set(netChanges(changes).map((change) => accessLossOf(change)?.feed));
  const net: FeedChange[] = [];
  for (const change of feeds.values()) {
    const epoch = change.before === null ? 1 : change.before.epoch + Number(left.has(change.id));
    const state = { ...change.after, epoch };
    after.feeds.set(change.id, state);
    if (JSON.stringify(change.before) !== JSON.stringify(state)) net.push({ ...change, after: state });
  }
  return net;
}

/**
 * The world before the command, where the command's new nodes are known to be absent. They are not
 * stored, so they could not be loaded.
 */
function withoutNew(base: World, after: World, changes: readonly Change[]): World {
  const before = layerOver(base);
  for (const change of changes) {
    if (change.kind !== 'node' || change.before !== null || change.after === null) continue;
    const { id, ownerId } = change.after;
    before.nodes.set(id, null);
    before.members.set(id, new Map());
    before.grantsOn.set(id, new Set());
    // Deleted nodes keep their owner here.
    for (const world of [before, after]) world.owners.set(id, ownerId);
  }
  return before;
}

/** Collects the missing data of several decisions for one load. */
function createMissingLoads() {
  const readSets: ReadSet[] = [];
  const users = new Set<string>();
  return {
    any: () => readSets.length + users.size > 0,
    collect<T>(work: () => T): T | null {
      try {
        return work();
      } catch (error) {
        if (error instanceof NotLoaded) readSets.push(error.readSet);
        else if (error instanceof NotLocked) for (const user of error.users) users.add(user);
        else throw error;
        return null;
      }
    },
    throwMissing() {
      // The group starts again with these users locked, and loads then.
      if (users.size > 0) throw new NotLocked([...users]);
      if (readSets.length > 0) throw new NotLoaded(mergeReadSets(readSets));
    },
  };
}
