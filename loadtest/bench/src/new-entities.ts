// Nodes and links as the service stores new ones, for statements of the bare driver.
import { type FieldTable, initialValues, isStoredInteger } from '@taskgraph/wire/field-table';
import { LINK_FIELDS } from '@taskgraph/wire/link-fields';
import { NODE_FIELDS } from '@taskgraph/wire/node-fields';
import neo4j from 'neo4j-driver';

const NODE = storedValues(NODE_FIELDS);
const { inTrash: _type, ...LINK } = storedValues(LINK_FIELDS);

interface NodeKey {
  readonly id: string;
  readonly ownerId: string;
}

export function storedNode({ id, ownerId }: NodeKey, title: string, now: string) {
  return { ...NODE, id, ownerId, title, createdTime: now, lastEditedTime: now };
}

/**
 * A link that blocks, between nodes of its owner. Its place in the trash is in the type of its
 * relationship.
 */
export function storedLink({ id, ownerId }: NodeKey, now: string) {
  return {
    ...LINK,
    id,
    ownerId,
    type: neo4j.int(0),
    private: false,
    wasBlocker: true,
    conveys: true,
    createdTime: now,
    lastEditedTime: now,
    sourceOwnerId: ownerId,
    targetOwnerId: ownerId,
  };
}

/** Integers as the driver sends them, and no nulls, which the database does not store. */
function storedValues(table: FieldTable): Record<string, unknown> {
  const values = Object.entries(initialValues(table)).filter(([, value]) => value !== null);
  return Object.fromEntries(
    values.map(([name, value]) => {
      const field = table[name];
      return [name, field !== undefined && isStoredInteger(field) ? neo4j.int(value as number) : value];
    }),
  );
}
