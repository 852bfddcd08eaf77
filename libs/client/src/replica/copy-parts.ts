// The parts of a copy of the graph, and the callbacks of its owner.
import type { Entities } from './entities.ts';
import type { FeedProgress } from './feeds/feed-progress.ts';
import type { PageWindows } from './feeds/page-windows.ts';
import type { ReadFeeds } from './feeds/read-feeds.ts';
import type { Levels } from './levels.ts';

export interface CopyParts {
  readonly entities: Entities;
  readonly readFeeds: ReadFeeds;
  readonly levels: Levels;
  readonly progress: FeedProgress;
  readonly pageWindows: PageWindows;
  /**
   * Requests the whole graph, since no answer to `changes:get` would name everything that changed.
   */
  readonly requestFullRead: () => void;
  /** Whether a full read is in progress or requested. Links may be missing then. */
  readonly isFullReadDue: () => boolean;
  /** Receives a feed that is no longer read. */
  readonly feedLost: (feed: string) => void;
}
