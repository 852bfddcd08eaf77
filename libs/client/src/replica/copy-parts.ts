// The parts that a copy of the graph is made of.
import type { Entities } from './entities.ts';
import type { Levels } from './levels.ts';
import type { Progress } from './progress.ts';
import type { Reading } from './reading.ts';
import type { Windows } from './windows.ts';

export interface CopyParts {
  readonly entities: Entities;
  readonly reading: Reading;
  readonly levels: Levels;
  readonly progress: Progress;
  readonly windows: Windows;
  /** The whole graph has to be read: no answer to what changed would tell all. */
  readonly wantWalk: () => void;
  /** Whether the whole graph is being read: links are not all here then. */
  readonly isReading: () => boolean;
  /** Told of a feed that is not read any more. */
  readonly lost: (feed: string) => void;
}
