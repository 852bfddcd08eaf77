// ready: the nodes that can be worked on now.
import { definedFields } from '@taskgraph/wire/defined-fields';
import { integer, list, object, text } from '../input-schema.ts';
import { listNodes, MOST_NODES } from '../node-list.ts';
import { BELOW, MORE, rootOf } from '../shared-arguments.ts';
import { defineTool } from '../tool.ts';

interface ReadySearch {
  readonly below?: string;
  readonly assignee?: readonly string[];
  readonly limit?: number;
  readonly more?: string;
}

export const ready = defineTool<ReadySearch>({
  name: 'ready',
  description: 'Lists what can be worked on now, neither blocked nor completed, the first due first.',
  effect: 'reads',
  input: object({
    below: BELOW,
    assignee: list(text('A name, or me.'), 20),
    limit: integer(1, MOST_NODES),
    more: MORE,
  }),
  async run({ below, assignee, limit, more }, context) {
    const where = { ready: true, ...definedFields({ assignee }) };
    return listNodes(context, { ...(await rootOf(context, below)), where, sort: 'due' }, { limit, more });
  },
});
