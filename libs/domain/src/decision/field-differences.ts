// The fields of a patch that change an entity.

/** The fields whose values differ. Lists are equal if their items are, in order. */
export function differingFields<T extends object>(state: T, patch: Partial<T>): (keyof T)[] {
  return (Object.keys(patch) as (keyof T)[]).filter((field) => !isSame(state[field], patch[field]));
}

function isSame(one: unknown, other: unknown): boolean {
  if (!Array.isArray(one) || !Array.isArray(other)) return one === other;
  return one.length === other.length && one.every((item, index) => item === other[index]);
}
