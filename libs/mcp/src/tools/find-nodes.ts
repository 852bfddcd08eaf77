// find_nodes: search by words and conditions.
import { definedFields } from '@taskgraph/wire/defined-fields';
import { choice, flag, integer, list, object, text } from '../input-schema.ts';
import { listNodes, MOST_NODES } from '../node-list.ts';
import { resolveNodes } from '../references.ts';
import { BELOW, MORE, NODE, rootOf, STATUS_LIST, type StatusName, statusNumber } from '../shared-arguments.ts';
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
  title: 'Find nodes',
  description:
    'Finds nodes by words and conditions, which must all hold. Without arguments: all nodes, the last edited first.',
  effect: 'reads',
  input: object({
    text: text('Up to 10 words; each must begin a word of title, tags or description.'),
    below: BELOW,
    status: STATUS_LIST,
    tags: list(text('A tag.'), 20, 'Any of these tags.'),
    assignee: list(text('A name, or me.'), 20, 'Any of these people.'),
    owner: text('A username, or me.'),
    due_from: text('Due on this day or later.'),
    due_to: text('Due on this day or earlier.'),
    no_due: flag('Without a due date.'),
    overdue: flag('Open and past the due date.'),
    edited_from: text('Edited since this day or time.'),
    blocks: text(`Nodes that directly block this one: ${NODE}.`),
    waits_for: text(`Nodes that this one directly blocks: ${NODE}.`),
    top: flag('Nodes that block nothing: the tops of the graph.'),
    sort: choice(['due', 'priority', 'edited', 'created', 'title'], 'Default: best match, then last edited.'),
    order: choice(['asc', 'desc'], 'Default asc.'),
    limit: integer(1, MOST_NODES, 'Default 50.'),
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
