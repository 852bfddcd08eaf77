// What the palette lists for a text: the commands whose names have all of its words, then tasks.
import { foldText, type Replica, TaskgraphError } from '@taskgraph/client';

interface NamedCommand {
  readonly name: string;
  readonly needsTask?: true;
}

export type Entry<C extends NamedCommand> =
  | { readonly kind: 'command'; readonly command: C }
  | { readonly kind: 'task'; readonly id: string };

interface EntrySource<C> {
  readonly replica: Pick<Replica, 'find'>;
  readonly commands: readonly C[];
  /** The name of a command for the reader. */
  readonly textOf: (command: C) => string;
  /** The task whose panel is open. */
  readonly chosen: string | null;
}

const MOST_TASKS = 8;

export function entriesFor<C extends NamedCommand>(source: EntrySource<C>, text: string): Entry<C>[] {
  const { replica, commands, textOf, chosen } = source;
  const words = foldText(text)
    .split(/\s+/)
    .filter((word) => word !== '');
  const named = commands.filter((command) => {
    const own = foldText(textOf(command));
    return (command.needsTask !== true || chosen !== null) && words.every((word) => own.includes(word));
  });
  const tasks = words.length === 0 ? [] : tasksFor(replica, text.trim());
  return [
    ...named.map((command) => ({ kind: 'command' as const, command })),
    ...tasks.map((id) => ({ kind: 'task' as const, id })),
  ];
}

/** Unique among the entries. */
export function keyOf(entry: Entry<NamedCommand>): string {
  return entry.kind === 'command' ? entry.command.name : entry.id;
}

function tasksFor(replica: Pick<Replica, 'find'>, text: string): string[] {
  try {
    return replica
      .find({ text })
      .slice(0, MOST_TASKS)
      .map(({ id }) => id);
  } catch (error) {
    // A text of too many words finds nothing (FIND4).
    if (error instanceof TaskgraphError) return [];
    throw error;
  }
}
