// Arguments and conditions that several tools have.
import { choice, integer, list, text } from './input-schema.ts';
import { resolveNode } from './references.ts';
import type { ToolContext } from './service.ts';

export const MORE = text('The "more" of an earlier answer, for its next part.');
export const CONFIRM = text('The "confirm" of an earlier answer, to make the change that it shows.');
export const BELOW = text('Only nodes below this one: short id, id or title.');
export const NODE = 'short id, id or whole title';

const STATUS_NUMBERS = { available: 0, in_progress: 1, blocked: 2, completed: 3 } as const;
export type StatusName = keyof typeof STATUS_NUMBERS;

export const STATUS_LIST = list(choice(Object.keys(STATUS_NUMBERS), 'A status.'), 4, 'Any of these statuses.');

export function statusNumber(name: StatusName): number {
  return STATUS_NUMBERS[name];
}

/** The status that a change may set: Blocked follows from links alone. */
const WRITTEN_STATUS = choice(['available', 'in_progress', 'completed'], 'Blocked follows from links alone.');

/** Fields of a node that tools write, besides its title. */
export const WRITTEN_FIELDS = {
  description: text('Everything else about it.'),
  status: WRITTEN_STATUS,
  due: text('A day (2026-12-24), a time with offset, or none.'),
  priority: integer(0, 1_000_000, 'Higher is more urgent.'),
  volume: integer(0, 1_000_000, 'How much work it is.'),
  tags: list(text('A tag.'), 64, 'All its tags.'),
  assignee: list(text('A name.'), 64, 'Everyone who does it.'),
};

export interface WrittenFields {
  readonly title?: string;
  readonly description?: string;
  readonly status?: StatusName;
  readonly due?: string;
  readonly priority?: number;
  readonly volume?: number;
  readonly tags?: readonly string[];
  readonly assignee?: readonly string[];
}

/** The fields as the service takes them. */
export function nodeFields({ status, due, ...fields }: WrittenFields): Record<string, unknown> {
  return {
    ...fields,
    ...(status === undefined ? {} : { status: statusNumber(status) }),
    ...(due === undefined ? {} : { dueDate: due === 'none' ? null : due }),
  };
}

/** The branch of a search, or nothing. */
export async function rootOf(context: ToolContext, below: string | undefined): Promise<{ readonly root?: string }> {
  return below === undefined ? {} : { root: await resolveNode(context, below) };
}
