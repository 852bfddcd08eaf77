// Replaces provisional ids in the fields of a command and in the operations of a batch. Rule: BAT2.
import { isProvisional } from './optimistic-patches.ts';

type Payload = Readonly<Record<string, unknown>>;

/** The fields that contain ids. Provisional ids in texts are not replaced. */
const ID_FIELDS = ['id', 'source', 'target'];

/** The payload with provisional ids replaced; the same object if there are none. */
export function withIds(payload: Payload, idOf: (provisional: string) => string): Payload {
  return mapPayloads(payload, (fields) => {
    const changes: Record<string, unknown> = {};
    for (const field of ID_FIELDS) {
      const id = fields[field];
      if (isProvisional(id) && idOf(id) !== id) changes[field] = idOf(id);
    }
    return Object.keys(changes).length === 0 ? fields : { ...fields, ...changes };
  });
}

/** Maps the payload and those of its operations; the same object if `map` changes none. */
export function mapPayloads(payload: Payload, map: (payload: Payload) => Payload): Payload {
  const mapped = map(payload);
  const { operations } = payload;
  if (!Array.isArray(operations)) return mapped;
  const replaced = operations.map((operation: { readonly payload?: Payload } | null) => {
    if (typeof operation?.payload !== 'object' || operation.payload === null) return operation;
    const own = map(operation.payload);
    return own === operation.payload ? operation : { ...operation, payload: own };
  });
  return replaced.some((each, index) => each !== operations[index]) ? { ...mapped, operations: replaced } : mapped;
}
