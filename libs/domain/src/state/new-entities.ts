// New nodes and links, by the tables of their fields. Rules: NODE1, LNK2.
import { initialValues, isStored, namesWhere } from '@taskgraph/wire/field-table';
import { LINK_FIELDS } from '@taskgraph/wire/link-fields';
import { NODE_FIELDS, type WritableNodeField } from '@taskgraph/wire/node-fields';
import { compileMaker } from './object-maker.ts';
import type { LinkState, NodeState } from './state.ts';

type GivenNode = Pick<NodeState, 'id' | 'ownerId' | 'createdTime' | 'lastEditedTime'>;
/** The values that the client wrote; the table gives the others. */
type Written = { readonly [Name in WritableNodeField]?: unknown };

const NODE_VALUES = initialValues(NODE_FIELDS);
const makeNode = compileMaker<(given: GivenNode, written: Written, initial: object) => NodeState>(
  ['given', 'written', 'initial'],
  namesWhere(NODE_FIELDS, isStored).map((name) => {
    if (!(name in NODE_VALUES)) return [name, `given.${name}`];
    return [name, 'write' in NODE_FIELDS[name] ? `written.${name} ?? initial.${name}` : `initial.${name}`];
  }),
);

export function newNode({ id, ownerId }: Pick<NodeState, 'id' | 'ownerId'>, now: string, written: Written): NodeState {
  return makeNode({ id, ownerId, createdTime: now, lastEditedTime: now }, written, NODE_VALUES);
}

type GivenLink = Pick<LinkState, 'id' | 'source' | 'target' | 'type' | 'private' | 'ownerId' | 'conveys'>;
type Times = Pick<LinkState, 'createdTime' | 'lastEditedTime'>;

const LINK_VALUES = initialValues(LINK_FIELDS);
const makeLink = compileMaker<(given: GivenLink & Times, initial: object) => LinkState>(
  ['given', 'initial'],
  namesWhere(LINK_FIELDS, (field) => isStored(field) && field.optional !== true).map((name) => [
    name,
    name in LINK_VALUES ? `initial.${name}` : `given.${name}`,
  ]),
);

export function newLink(given: GivenLink, now: string): LinkState {
  return makeLink({ ...given, createdTime: now, lastEditedTime: now }, LINK_VALUES);
}
