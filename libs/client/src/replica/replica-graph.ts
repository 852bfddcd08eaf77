// The graph of a replica: the copy that follows the service, the pending commands over it, and the
// view that callers see.
import { createEmitter, type Emitter } from './emitter.ts';
import { createEntities, type Entities, type TouchedListener } from './entities.ts';
import { createFeedProgress, type FeedProgress } from './feeds/feed-progress.ts';
import { createPageWindows, type PageWindows } from './feeds/page-windows.ts';
import { createReadFeeds, type ReadFeeds } from './feeds/read-feeds.ts';
import { createGraphCopy, type GraphCopy } from './graph-copy.ts';
import { createLevels, type Levels } from './levels.ts';
import { createPendingCommands, type PendingCommands } from './pending-commands.ts';
import type { ReplicaEvents } from './replica-events.ts';
import type { Resync } from './resync.ts';
import { createView, type View } from './view.ts';

export interface ReplicaGraph {
  readonly emitter: Emitter<ReplicaEvents>;
  readonly entities: Entities;
  readonly readFeeds: ReadFeeds;
  readonly progress: FeedProgress;
  readonly levels: Levels;
  readonly pendingCommands: PendingCommands;
  readonly pageWindows: PageWindows;
  readonly view: View;
  readonly copy: GraphCopy;
}

interface GraphDependencies {
  /** The resync of this graph. It is created after the graph. */
  readonly resync: () => Pick<Resync, 'requestFullRead' | 'isFullReadDue'>;
  readonly touched: TouchedListener;
  /** Receives a feed that is no longer read. */
  readonly feedLost: (feed: string) => void;
  /** Whether the view shows nothing. */
  readonly isHidden: () => boolean;
}

export function createReplicaGraph({ resync, touched, feedLost, isHidden }: GraphDependencies): ReplicaGraph {
  const emitter = createEmitter<ReplicaEvents>();
  const entities = createEntities((kind, id, hasLeft) => {
    view.touch(kind, id);
    touched(kind, id, hasLeft);
  });
  const readFeeds = createReadFeeds();
  const progress = createFeedProgress();
  const levels = createLevels(readFeeds);
  const pendingCommands = createPendingCommands({
    entities,
    readFeeds,
    progress,
    touched: (kind, id) => view.touch(kind, id),
    isFullReadDue: () => resync().isFullReadDue(),
  });
  const pageWindows = createPageWindows((id, event) => {
    if (event !== 'in') pendingCommands.removeEntity(id);
  });
  const view = createView({
    emitter,
    current: (kind, id) => (isHidden() ? undefined : pendingCommands.apply(kind, id, entities.entity(kind, id))),
  });
  const copy = createGraphCopy({
    entities,
    readFeeds,
    levels,
    progress,
    pageWindows,
    requestFullRead: () => resync().requestFullRead(),
    isFullReadDue: () => resync().isFullReadDue(),
    feedLost(feed) {
      feedLost(feed);
      pendingCommands.removeFeed(feed);
    },
  });
  return { emitter, entities, readFeeds, progress, levels, pendingCommands, pageWindows, view, copy };
}
