// The state of a group while its commands are decided: the world so far, and what the group will
// write and publish.
import { mergeEpochBumps } from '@taskgraph/domain/access/access-losses';
import type { OwnedNode } from '@taskgraph/domain/access/permissions';
import type { NewBatch, StoredBatch } from '@taskgraph/domain/state/batch';
import type { Change } from '@taskgraph/domain/state/change';
import { NotLoaded } from '@taskgraph/domain/state/read-set';
import { layerOver, mergeLayer, type World } from '@taskgraph/domain/state/world';
import { laterBatch } from '@taskgraph/domain/views/history';
import type { FeedEpochBump, SliceMessage } from '@taskgraph/wire/bus/feed-messages';
import { type BatchTimes, createBatchTimes } from './batch-times.ts';
import type { DecidedCommand, GroupContext } from './decide-command.ts';
import type { CommandSlices } from './slices.ts';

/** The rows that a group writes. */
export interface GroupWrites {
  readonly changes: readonly Change[];
  readonly batches: readonly NewBatch[];
  /** New heads of the feeds that received slices. */
  readonly heads: ReadonlyMap<string, number>;
  readonly times: BatchTimes;
  /** Any node that the group loaded, visited or created. */
  readonly nodeOf: (id: string) => OwnedNode;
}

/** The messages of a group to gateways. */
export interface GroupMessages {
  readonly slices: SliceMessage[];
  readonly control: {
    readonly readers: ReadonlySet<string>;
    readonly feeds: ReadonlyMap<string, FeedEpochBump>;
    readonly publications: ReadonlySet<string>;
  };
}

/** A command with changes, its slices and its batch. */
export interface DecidedBatch extends DecidedCommand {
  readonly sliced: CommandSlices;
  /** The owners of all entities that it changes. */
  readonly owners: ReadonlySet<string>;
  readonly stored: NewBatch;
}

export class GroupProgress {
  readonly group: GroupContext;
  /** The world after the commands so far. */
  readonly after: World;
  /** By idempotency key: the batches of the database and of the group. */
  readonly stored: Map<string, StoredBatch>;
  readonly writes: GroupWrites;
  readonly messages: GroupMessages;
  readonly #changes: Change[] = [];
  readonly #batches: NewBatch[] = [];
  readonly #slices: SliceMessage[] = [];
  readonly #heads = new Map<string, number>();
  readonly #control = {
    readers: new Set<string>(),
    feeds: new Map<string, FeedEpochBump>(),
    publications: new Set<string>(),
  };
  readonly #newNodes = new Map<string, OwnedNode>();

  constructor(group: GroupContext) {
    this.group = group;
    this.after = layerOver(group.world);
    this.stored = new Map(group.stored);
    this.writes = {
      changes: this.#changes,
      batches: this.#batches,
      heads: this.#heads,
      times: createBatchTimes(group.users, group.now),
      nodeOf: (id) => this.#nodeOf(id),
    };
    this.messages = { slices: this.#slices, control: this.#control };
  }

  /** Adds a decided batch. Everything it needs is loaded, so it is recorded whole. */
  record(batch: DecidedBatch): void {
    this.writes.times.note(batch.owners, batch.now);
    // One by one: as the arguments of a call, 130,000 changes would overflow the stack.
    for (const change of batch.changes) this.#changes.push(change);
    this.#recordSlices(batch.sliced);
    this.#recordBatch(batch.stored, batch.sliced);
    mergeLayer(this.after, batch.after);
    for (const change of batch.changes) {
      if (change.kind === 'node' && change.after !== null) this.#newNodes.set(change.id, change.after);
    }
  }

  #recordSlices({ messages, entries, control }: CommandSlices): void {
    for (const message of messages) this.#slices.push(message);
    for (const { feed, seq } of entries) this.#heads.set(feed, seq);
    for (const reader of control.readers) this.#control.readers.add(reader);
    for (const node of control.publications) this.#control.publications.add(node);
    for (const raise of control.feeds) {
      const earlier = this.#control.feeds.get(raise.feed);
      this.#control.feeds.set(raise.feed, earlier === undefined ? raise : mergeEpochBumps(earlier, raise));
    }
  }

  /** Later commands of the group may have the same key, undo the batch, or conflict with it. */
  #recordBatch(batch: NewBatch, { entries }: CommandSlices): void {
    this.#batches.push(batch);
    const feeds = Object.fromEntries(entries.map(({ feed, seq }) => [feed, seq]));
    const stored: StoredBatch = { ...batch, feeds, undone: false, last: null };
    this.stored.set(batch.key, stored);
    this.after.batches.set(batch.id, stored);
    for (const id of new Set(batch.changes.map((change) => change.id))) {
      const later = this.after.later.get(id);
      if (later !== undefined) this.after.later.set(id, { ...later, made: [laterBatch(stored, id), ...later.made] });
    }
  }

  /** A node that the group deleted is found below the layer or among its new nodes. */
  #nodeOf(id: string): OwnedNode {
    const { world } = this.group;
    const node = this.after.nodes.get(id) ?? world.nodes.get(id) ?? this.#newNodes.get(id);
    if (node) return node;
    const ownerId = world.owners.get(id);
    // A link may be cached without one of its ends.
    if (ownerId === undefined) throw new NotLoaded({ nodes: [id] });
    return { id, ownerId };
  }
}
