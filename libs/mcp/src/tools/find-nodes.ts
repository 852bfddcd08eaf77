// find_nodes: search by words and conditions.
import { definedFields } from '@taskgraph/wire/defined-fields';
import { choice, flag, integer, list, object, text } from '../input-schema.ts';
import { listNodes, MOST_NODES } from '../node-list.ts';
import { resolveNodes } from '../references.ts';
import { BELOW, MORE, rootOf, STATUS_LIST, type StatusName, statusNumber } from '../shared-arguments.ts';
import { defineTool } from '../tool.ts';

interface Search {
  readonly text?: string;
  readonly below?: string;
  readonly status?: readonly StatusName[];
  readonly tags?: readonly string[];
  readonly assignee?: readonly string[];
  readonly owner?: string;
  readonly due_from?: string;
  readonly due_to?: string;
  readonly no_due?: boolean;
  readonly overdue?: boolean;
  readonly edited_from?: string;
  readonly blocks?: string;
  readonly waits_for?: string;
  readonly top?: boolean;
  readonly sort?: string;
  readonly order?: string;
  readonly limit?: number;
  readonly more?: string;
}

export const findNodes = defineTool<Search>({
  name: 'find_nodes',
  description:
    'Finds nodes that fit all arguments; of a list, one value must fit. Default order: best match, then last edited.',
  effect: 'reads',
  input: object({
    text: text('Up to 10 words, each the beginning of a word of title, tags or description.'),
    below: BELOW,
    status: STATUS_LIST,
    tags: list(text(), 20),
    assignee: list(text('A name, or me.'), 20),
    owner: text('A username, or me.'),
    due_from: text(),
    due_to: text(),
    no_due: flag(),
    overdue: flag(),
    edited_from: text(),
    blocks: text('What directly blocks this node.'),
    waits_for: text('What this node directly blocks.'),
    top: flag('What blocks nothing.'),
    sort: choice(['due', 'priority', 'edited', 'created', 'title']),
    order: choice(['asc', 'desc']),
    limit: integer(1, MOST_NODES),
    more: MORE,
  }),
  async run({ text: words, below, sort, order, limit, more, blocks, waits_for, ...conditions }, context) {
    const { status, tags, assignee, owner, due_from, due_to, no_due, overdue, edited_from, top } = conditions;
    const references = [blocks, waits_for].filter((each) => each !== undefined);
    const ids = await resolveNodes(context, references);
    const due = no_due === true ? ('none' as const) : rangeOf(due_from, due_to);
    const where = definedFields({
      status: status?.map(statusNumber),
      tag: tags,
      assignee,
      owner,
      due,
      overdue,
      edited: rangeOf(edited_from, undefined),
      blocks: ids.get(blocks ?? ''),
      waitsFor: ids.get(waits_for ?? ''),
      top,
    });
    const search = { ...(await rootOf(context, below)), ...definedFields({ text: words, sort, order }), where };
    return listNodes(context, search, { limit, more });
  },
});

function rangeOf(from: string | undefined, to: string | undefined): object | undefined {
  return from === undefined && to === undefined ? undefined : definedFields({ from, to });
}
