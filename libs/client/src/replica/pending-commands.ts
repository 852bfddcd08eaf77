// Commands that the copy of the graph does not contain yet. A command shows its expected changes,
// and after its answer the real ones, until their slices arrive.
import type { Changed } from '../calls.ts';
import type { Entity } from '../merge-diff.ts';
import { answerPatches, optimisticPatches, type Patch, provisionalId } from '../offline/optimistic-patches.ts';
import type { Command } from '../offline/outbox.ts';
import { createOverlay } from '../offline/overlay.ts';
import type { Entities, Kind } from './entities.ts';
import type { FeedProgress, Heads } from './feeds/feed-progress.ts';
import type { ReadFeeds } from './feeds/read-feeds.ts';

interface PendingDependencies {
  readonly entities: Pick<Entities, 'linksOn'>;
  readonly readFeeds: Pick<ReadFeeds, 'reads'>;
  readonly progress: Pick<FeedProgress, 'latest'>;
  /** Whether a full read is in progress or requested. The copy may lag behind its progress then. */
  readonly isFullReadDue: () => boolean;
  readonly touched: (kind: Kind, id: string) => void;
}

export interface PendingCommands {
  /** Shows the expected changes of a command. */
  begin(command: Command): void;
  /**
   * Shows the real changes of a command until its slices arrive. Returns its new ids by provisional
   * id.
   */
  recordAnswer(key: string, answer: Record<string, unknown>): Record<string, string>;
  /** Removes the changes of a command. */
  end(key: string): void;
  /** Removes the changes of answers that the copy contains now. */
  removeApplied(): void;
  /** Removes the changes of answers on an entity that was removed since. */
  removeEntity(id: string): void;
  /** Removes the changes of answers that came by a feed which is no longer read. */
  removeFeed(feed: string): void;
  apply(kind: Kind, id: string, entity: Entity | undefined): Entity | undefined;
}

/** Most entities that are stored as removed. */
const MAXIMUM_REMOVED = 10_000;
const NODE_ADD = 0;
const LINK_ADD = 10;
const LINK_RESTORE = 13;

export function createPendingCommands(dependencies: PendingDependencies): PendingCommands {
  const { entities, readFeeds, progress, isFullReadDue, touched } = dependencies;
  const overlay = createOverlay(touched);
  /** The numbers of the slices of answered commands, by key. */
  const answers = new Map<string, Heads>();
  /** Commands without an answer. */
  const open = new Set<string>();
  /** Entities that were removed since the first open command began. An answer may be older. */
  const removed = new Set<string>();
  const close = (key: string) => {
    open.delete(key);
    if (open.size === 0) removed.clear();
  };
  const end = (key: string) => {
    answers.delete(key);
    close(key);
    overlay.remove(key);
  };
  const isApplied = (feeds: Heads) =>
    !isFullReadDue() &&
    Object.entries(feeds).every(([feed, seq]) => !readFeeds.reads(feed) || progress.latest(feed) >= seq);
  return {
    begin({ key, event, payload }) {
      open.add(key);
      overlay.set(key, optimisticPatches(event, payload, key, entities));
    },
    recordAnswer(key, answer) {
      const { diff, feeds = {} } = answer as unknown as Partial<Changed>;
      if (diff === undefined || isApplied(feeds)) end(key);
      else {
        answers.set(key, feeds);
        const isCurrent = ({ id, ends = [] }: Patch) =>
          removed.size < MAXIMUM_REMOVED && ![id, ...ends].some((each) => removed.has(each));
        overlay.set(key, answerPatches(diff).filter(isCurrent));
        close(key);
      }
      return diff === undefined ? {} : createdIds(key, diff);
    },
    end,
    removeApplied() {
      for (const [key, feeds] of answers) if (isApplied(feeds)) end(key);
    },
    removeEntity(id) {
      // Past the bound, the changes of answers show only once their slices arrive.
      if (open.size > 0 && removed.size < MAXIMUM_REMOVED) removed.add(id);
      if (answers.size > 0) overlay.removeEntity(id, [...answers.keys()]);
    },
    removeFeed(feed) {
      for (const [key, feeds] of answers) if (Object.hasOwn(feeds, feed)) end(key);
    },
    apply: overlay.apply,
  };
}

function createdIds(key: string, { nodes, links }: Pick<Changed['diff'], 'nodes' | 'links'>): Record<string, string> {
  const node = nodes.find(({ op }) => op === NODE_ADD);
  const link = links.find(({ op }) => op === LINK_ADD || op === LINK_RESTORE);
  return {
    ...(node === undefined ? {} : { [provisionalId(key)]: String(node.after.id) }),
    ...(link === undefined ? {} : { [provisionalId(key, 'link')]: String(link.after.id) }),
  };
}
