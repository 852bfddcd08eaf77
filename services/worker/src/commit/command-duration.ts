// Averages the duration of commands over recent groups, and converts a time bound into a number of
// commands.

/** Each later group multiplies the weight of a group by this factor. */
const DECAY = 0.8;
/**
 * Bounds on the milliseconds per command of each group. A group of one large cascade therefore
 * counts little, and a slow database does not shrink groups, which would make commands slower still.
 */
const FASTEST_MS = 0.25;
const SLOWEST_MS = 2.5;
/** Milliseconds per command before the first group. */
const INITIAL_MS = 1;

export interface CommandDuration {
  /** Records a committed group: the number of commands that it answered, and its duration. */
  record(group: { readonly commands: number; readonly tookMs: number }): void;
  /** The number of commands that take this long together. */
  commandsWithin(ms: number): number;
}

export function createCommandDuration(): CommandDuration {
  let commands = 1;
  let ms = INITIAL_MS;
  return {
    record(group) {
      if (group.commands === 0) return;
      const tookMs = Math.min(Math.max(group.tookMs, group.commands * FASTEST_MS), group.commands * SLOWEST_MS);
      commands = commands * DECAY + group.commands;
      ms = ms * DECAY + tookMs;
    },
    commandsWithin: (boundMs) => Math.round((boundMs * commands) / ms),
  };
}
