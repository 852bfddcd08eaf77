// The bounds of a group: together with others, or of a large command.
import { type GroupBounds, WORK_ALONE, WORK_TOGETHER } from '@taskgraph/commands/pipeline/work-bounds';
import type { LoadBounds } from '@taskgraph/graph-store/commit/load/bounds';

/** How much one group may load and do, and how long it may take. */
export interface GroupMode {
  readonly bounds: LoadBounds;
  readonly work: GroupBounds;
  /** Milliseconds; undefined leaves the server's default of 3 s. */
  readonly timeoutMs: number | undefined;
  /** Most rounds of loading missing entities. */
  readonly rounds: number;
}

export interface GroupModes {
  readonly together: GroupMode;
  /** For one command that is too large to share a transaction. */
  readonly large: GroupMode;
}

/** Most entities that a command may bring that shares a group with others. */
const ENTITIES_TOGETHER = 500;
/** Most rows of one kind of load: of a small group, and of a single command. */
const ROWS_TOGETHER = 5_000;
const ROWS_ALONE = 200_000;

/** `entities`: most of them that one command may walk over; past it, it is refused. */
export function groupModes(entities: number): GroupModes {
  return {
    together: {
      bounds: { entities: Math.min(entities, ENTITIES_TOGETHER), rows: ROWS_TOGETHER, large: false },
      work: WORK_TOGETHER,
      timeoutMs: undefined,
      rounds: 6,
    },
    large: { bounds: { entities, rows: ROWS_ALONE, large: true }, work: WORK_ALONE, timeoutMs: 30_000, rounds: 64 },
  };
}

/** The bounds of a group: those of one command, times the number of its commands. */
export function boundsOf({ bounds }: GroupMode, commands: number): LoadBounds {
  return { ...bounds, rows: Math.max(bounds.rows, bounds.entities * commands) };
}
