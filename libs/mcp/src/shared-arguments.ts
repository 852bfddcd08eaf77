// Arguments and conditions that several tools have.
import { choice, integer, list, text } from './input-schema.ts';
import { resolveNode } from './references.ts';
import type { ToolContext } from './service.ts';

/** The instructions say what these three are. */
export const MORE = text();
export const CONFIRM = text();
export const NODE = text();
export const BELOW = text('Only nodes below this one.');

const STATUS_NUMBERS = { available: 0, in_progress: 1, blocked: 2, completed: 3 } as const;
export type StatusName = keyof typeof STATUS_NUMBERS;

export const STATUS_LIST = list(choice(Object.keys(STATUS_NUMBERS)), 4);

export function statusNumber(name: StatusName): number {
  return STATUS_NUMBERS[name];
}

/** The status that a change may set: Blocked follows from links alone. */
const WRITTEN_STATUS = choice(['available', 'in_progress', 'completed']);

/** Fields of a node that tools write, besides its title. */
export const WRITTEN_FIELDS = {
  description: text(),
  status: WRITTEN_STATUS,
  due: text('A day, a time with offset, or none.'),
  priority: integer(0, 1_000_000),
  volume: integer(0, 1_000_000),
  tags: list(text(), 64),
  assignee: list(text(), 64),
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
