// A node as the end of a link: all fields that decisions read there. Its content may be large, and
// they do not read it. Rule: LNK2.
import { isStored, namesWhere } from '@taskgraph/wire/field-table';
import { NODE_FIELDS } from '@taskgraph/wire/node-fields';
import { wrapped } from '../../driver/columns.ts';

const NAMES = namesWhere(NODE_FIELDS, (field) => isStored(field) && field.content !== true);
const PROPERTIES = wrapped(
  NAMES.map((name) => `.${name}`),
  12,
  '  ',
);

/** The fields of a node without those that `isWhole` looks for; it follows the node's variable. */
export const OUTLINE = `{
  ${PROPERTIES}
}`;
