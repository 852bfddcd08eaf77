// New nodes and links, by the tables of their fields. Rules: NODE1, BLK11, LNK2.
import { Status } from '@taskgraph/wire/codes';
import { initialValues, isStored, namesWhere } from '@taskgraph/wire/field-table';
import { LINK_FIELDS } from '@taskgraph/wire/link-fields';
import { NODE_FIELDS, type WritableNodeField } from '@taskgraph/wire/node-fields';
import { compileMaker } from './object-maker.ts';
import type { LinkState, NodeState } from './state.ts';

type NodeIdentity = Pick<NodeState, 'id' | 'ownerId' | 'createdTime' | 'lastEditedTime' | 'completedTime'>;
/** The values that the client wrote; the table gives the others. */
type WrittenFields = { readonly [Name in WritableNodeField]?: unknown };

const NODE_VALUES = initialValues(NODE_FIELDS);
const makeNode = compileMaker<(identity: NodeIdentity, written: WrittenFields, initial: object) => NodeState>(
  ['identity', 'written', 'initial'],
  namesWhere(NODE_FIELDS, isStored).map((name) => {
    if (!(name in NODE_VALUES) || name === 'completedTime') return [name, `identity.${name}`];
    return [name, 'write' in NODE_FIELDS[name] ? `written.${name} ?? initial.${name}` : `initial.${name}`];
  }),
);

export function newNode(
  { id, ownerId }: Pick<NodeState, 'id' | 'ownerId'>,
  now: string,
  written: WrittenFields,
): NodeState {
  const completedTime = written.status === Status.COMPLETED ? now : null;
  return makeNode({ id, ownerId, createdTime: now, lastEditedTime: now, completedTime }, written, NODE_VALUES);
}

type LinkIdentity = Pick<LinkState, 'id' | 'source' | 'target' | 'type' | 'private' | 'ownerId' | 'conveys'>;
type Times = Pick<LinkState, 'createdTime' | 'lastEditedTime'>;

const LINK_VALUES = initialValues(LINK_FIELDS);
const makeLink = compileMaker<(identity: LinkIdentity & Times, initial: object) => LinkState>(
  ['identity', 'initial'],
  namesWhere(LINK_FIELDS, (field) => isStored(field) && field.optional !== true).map((name) => [
    name,
    name in LINK_VALUES ? `initial.${name}` : `identity.${name}`,
  ]),
);

export function newLink(identity: LinkIdentity, now: string): LinkState {
  return makeLink({ ...identity, createdTime: now, lastEditedTime: now }, LINK_VALUES);
}
