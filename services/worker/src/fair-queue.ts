// A queue in which keys take turns and each key's items leave in the order in which they came, so
// that one busy user delays no other.

export class FairQueue<T> {
  /** The key whose turn is next comes first. No list is empty. */
  #lists = new Map<string, T[]>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get keyCount(): number {
    return this.#lists.size;
  }

  sizeOf(key: string): number {
    return this.#lists.get(key)?.length ?? 0;
  }

  /** The item of a key that leaves next. */
  firstOf(key: string): T | undefined {
    return this.#lists.get(key)?.[0];
  }

  /** In the order of their turns. A key may be taken from while they are iterated. */
  keys(): IterableIterator<string> {
    return this.#lists.keys();
  }

  push(key: string, item: T): void {
    const list = this.#lists.get(key);
    if (list) list.push(item);
    else this.#lists.set(key, [item]);
    this.#size++;
  }

  /** Puts lists, none of them empty, before all other items. Their keys have the next turns. */
  pushFront(lists: ReadonlyMap<string, readonly T[]>): void {
    const merged = new Map<string, T[]>();
    for (const [key, items] of lists) {
      merged.set(key, [...items, ...(this.#lists.get(key) ?? [])]);
      this.#size += items.length;
    }
    for (const [key, items] of this.#lists) if (!merged.has(key)) merged.set(key, items);
    this.#lists = merged;
  }

  /** The first item of the next key, whose next turn then comes after all other keys. */
  shift(): T | undefined {
    const next = this.#lists.keys().next();
    return next.done ? undefined : this.shiftOf(next.value);
  }

  /** The first item of a key, whose next turn then comes after all other keys. */
  shiftOf(key: string): T | undefined {
    const list = this.#lists.get(key);
    if (list === undefined) return undefined;
    this.#lists.delete(key);
    const item = list.shift();
    if (list.length > 0) this.#lists.set(key, list);
    this.#size--;
    return item;
  }
}
