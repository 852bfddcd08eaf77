// Replaces the provisional ids in the fields of a command and in the operations of a batch. Rule:
// BAT2.
import { isProvisional } from './optimistic-patches.ts';

type Payload = Readonly<Record<string, unknown>>;

/** The fields that contain ids. Provisional ids in texts are not replaced. */
const ID_FIELDS = ['id', 'source', 'target'];

/** The payload with provisional ids replaced; the same object if there are none. */
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
