// The fields of a node that clients may write, and the values of a new node: both follow from the
// table in wire. Packing replaces this module by its values, so that pages do not carry the table.
import { type Field, isPublic, isStored } from '@taskgraph/wire/field-table';
import {
  NODE_FIELDS,
  type NodeFields,
  WRITABLE_NODE_FIELDS,
  type WritableNodeField,
} from '@taskgraph/wire/node-fields';

type WritableFields = {
  readonly [Name in WritableNodeField]: Pick<NodeFields[Name], 'kind' | 'initial'> &
    Omit<NodeFields[Name]['write'], 'about'>;
};

/**
 * In the order in which files list them. `most` is the highest integer, the items of a list or the
 * UTF-16 units of a text; `longest` is the UTF-16 units of an item.
 */
export const WRITABLE_FIELDS = Object.fromEntries(
  WRITABLE_NODE_FIELDS.map((name) => {
    const { kind, initial, write }: Field = NODE_FIELDS[name];
    const { about: _about, ...bounds } = write ?? {};
    return [name, { kind, initial, ...bounds }];
  }),
) as WritableFields;

/** The public values of a new node, unless its creator gives others. */
export const NEW_NODE: Readonly<Record<string, unknown>> = Object.fromEntries(
  Object.entries<Field>(NODE_FIELDS)
    .filter(([, field]) => isStored(field) && isPublic(field) && field.initial !== undefined)
    .map(([name, { initial }]) => [name, initial]),
);
