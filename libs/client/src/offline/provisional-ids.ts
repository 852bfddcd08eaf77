// The provisional ids that a command names, in its own fields and in the operations of a batch. Rule: BAT2.
import { isProvisional } from './optimistic.ts';

type Payload = Readonly<Record<string, unknown>>;

/** The fields by which commands name nodes and links; in texts a provisional id means nothing. */
const ID_FIELDS = ['id', 'source', 'target'];

/** The payload with other ids in place of provisional ones; the same object where nothing is replaced. */
export function withIds(payload: Payload, idOf: (provisional: string) => string): Payload {
  const changes: Record<string, unknown> = {};
  for (const field of ID_FIELDS) {
    const id = payload[field];
    if (isProvisional(id) && idOf(id) !== id) changes[field] = idOf(id);
  }
  const { operations } = payload;
  if (Array.isArray(operations)) {
    const replaced = operations.map((operation) => withOperationIds(operation, idOf));
    if (replaced.some((operation, index) => operation !== operations[index])) changes.operations = replaced;
  }
  return Object.keys(changes).length === 0 ? payload : { ...payload, ...changes };
}

function withOperationIds(operation: { readonly payload?: Payload } | null, idOf: (provisional: string) => string) {
  if (typeof operation?.payload !== 'object' || operation.payload === null) return operation;
  const payload = withIds(operation.payload, idOf);
  return payload === operation.payload ? operation : { ...operation, payload };
}
