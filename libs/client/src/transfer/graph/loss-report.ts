// Counts the parts of a file or graph that an import or export loses, by kind and place. Rule: IO2.

/** One kind of loss, with every place where it occurs. */
export interface TransferLoss {
  readonly what: string;
  readonly count: number;
  readonly places: readonly string[];
}

export interface LossReport {
  note(what: string, place: string): void;
  /** Notes a loss that the file repeats, such as the colour of a label at each task, only once. */
  noteOnce(what: string, place: string): void;
  /** The kinds, in the order in which they first occurred. */
  list(): TransferLoss[];
}

/** Names from files, such as those of columns, are kinds too. This bounds their number. */
const MAXIMUM_KINDS = 1_000;

/** The kind of all losses beyond the bound; their own kind becomes part of the place. */
const FURTHER_KINDS = 'losses of further kinds';

export function createLossReport(): LossReport {
  const places = new Map<string, string[]>();
  const noted = new Set<string>();
  const add = (what: string, place: string) => {
    const list = places.get(what);
    if (list === undefined) places.set(what, [place]);
    else list.push(place);
  };
  const note = (what: string, place: string) => {
    if (places.has(what) || places.size < MAXIMUM_KINDS) add(what, place);
    else add(FURTHER_KINDS, `${what}: ${place}`);
  };
  return {
    note,
    noteOnce(what, place) {
      const name = `${what}\n${place}`;
      if (noted.has(name)) return;
      noted.add(name);
      note(what, place);
    },
    list: () => [...places].map(([what, all]) => ({ what, count: all.length, places: all })),
  };
}
