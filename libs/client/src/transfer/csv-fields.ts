// The fields of a task that tables hold under their own names: all but those that have names of their own there. Rule: IO2.
import { WRITABLE_FIELDS } from '../node-fields.ts';

/** The fields whose columns people name in several ways, or in another form than that of the service. */
const NAMED_APART = [
  'title',
  'description',
  'status',
  'dueDate',
  'tags',
  'priority',
  'volume',
  'assignee',
] as const satisfies readonly (keyof typeof WRITABLE_FIELDS)[];
type PlainField = Exclude<keyof typeof WRITABLE_FIELDS, (typeof NAMED_APART)[number]>;

export const PLAIN_FIELDS = Object.keys(WRITABLE_FIELDS).filter(
  (name) => !NAMED_APART.some((other) => other === name),
) as PlainField[];
