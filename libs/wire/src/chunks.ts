// Chunks of lists, for messages and statements with bounds.

/** The items in their order, in chunks of at most `size`. */
export function chunksOf<Item>(items: readonly Item[], size: number): Item[][] {
  const count = Math.ceil(items.length / size);
  return Array.from({ length: count }, (_, index) => items.slice(index * size, (index + 1) * size));
}
