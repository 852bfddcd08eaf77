// What the palette lists for a text: the commands whose names have all of its words, then tasks.
import { foldText, type Replica } from '@taskgraph/client';
import { tasksFor } from '../session/task-finder.ts';

interface NamedCommand {
  readonly name: string;
  readonly needsTask?: true;
}

export type Entry<C extends NamedCommand> =
  | { readonly kind: 'command'; readonly command: C }
  | { readonly kind: 'task'; readonly id: string };

interface EntrySource<C> {
  readonly replica: Pick<Replica, 'find' | 'snapshot' | 'username'>;
  readonly commands: readonly C[];
  /** The name of a command for the reader. */
  readonly textOf: (command: C) => string;
  /** Whether there is a task for the commands that need one. */
  readonly hasTask: boolean;
}

export function entriesFor<C extends NamedCommand>(source: EntrySource<C>, text: string): Entry<C>[] {
  const { replica, commands, textOf, hasTask } = source;
  const words = foldText(text)
    .split(/\s+/)
    .filter((word) => word !== '');
  const named = commands.filter((command) => {
    const own = foldText(textOf(command));
    return (command.needsTask !== true || hasTask) && words.every((word) => own.includes(word));
  });
  return [
    ...named.map((command) => ({ kind: 'command' as const, command })),
    ...tasksFor(replica, text).map(({ id }) => ({ kind: 'task' as const, id })),
  ];
}

/** Unique among the entries. */
export function keyOf(entry: Entry<NamedCommand>): string {
  return entry.kind === 'command' ? entry.command.name : entry.id;
}
