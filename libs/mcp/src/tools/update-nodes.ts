// update_nodes: changes fields of nodes, after a confirmed dry run.
import { definedFields } from '@taskgraph/wire/defined-fields';
import { makeChange } from '../changes.ts';
import { flag, list, object, text } from '../input-schema.ts';
import { pageOfLines } from '../lines.ts';
import { resolveNodes } from '../references.ts';
import { ToolFailure } from '../service.ts';
import { CONFIRM, NODE, nodeFields, WRITTEN_FIELDS, type WrittenFields } from '../shared-arguments.ts';
import { defineTool } from '../tool.ts';

const MOST_CHANGES = 100;

interface NodeChange extends WrittenFields {
  readonly node: string;
  readonly trash?: boolean;
  readonly claim?: string;
}

interface Update {
  readonly changes: readonly NodeChange[];
  readonly confirm?: string;
}

export const updateNodes = defineTool<Update>({
  name: 'update_nodes',
  description:
    'Changes fields of nodes, for example to complete them, or moves nodes to the trash, all or none. First answers the effect and "confirm".',
  effect: 'changes',
  input: object(
    {
      changes: list(
        object(
          {
            node: NODE,
            title: text(),
            ...WRITTEN_FIELDS,
            trash: flag(),
            claim: text('Your claim; refused if it ended.'),
          },
          'node',
        ),
        MOST_CHANGES,
      ),
      confirm: CONFIRM,
    },
    'changes',
  ),
  async run({ changes, confirm }, context) {
    const ids = await resolveNodes(
      context,
      changes.map(({ node }) => node),
    );
    if (changes.some(({ trash, claim }) => trash === true && claim !== undefined)) {
      const message = 'The trash takes no claim. Release the claim first, or leave it out.';
      throw new ToolFailure('bad_request.invalid_arguments', message);
    }
    const operations = changes.map(({ node, trash, claim, ...fields }) => ({
      event: trash === true ? 'node:trash' : 'node:update',
      payload: { id: ids.get(node), ...nodeFields(fields), ...definedFields({ claim }) },
    }));
    const change = { event: 'batch:run', payload: { operations }, isAdditive: false, ...definedFields({ confirm }) };
    return pageOfLines((await makeChange(context, change)).lines, undefined);
  },
});
