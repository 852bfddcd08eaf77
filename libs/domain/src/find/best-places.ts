// The first hits of a search in order. It does not sort all hits.
import type { Place } from './search.ts';

export interface BestPlaces {
  add(place: Place): void;
  /** In order. */
  list(): Place[];
}

/** Selects the first `count` added places that come after `after` in the order. */
export function createBestPlaces(
  count: number,
  compare: (one: Place, other: Place) => number,
  after: Place | null,
): BestPlaces {
  /** At most twice the count; sorted and shortened when it is full. */
  let places: Place[] = [];
  let last: Place | null = null;
  const cut = () => {
    places = places.sort(compare).slice(0, count);
    last = places.length < count ? null : (places.at(-1) ?? null);
  };
  return {
    add(place) {
      if (after !== null && compare(place, after) <= 0) return;
      if (last !== null && compare(place, last) > 0) return;
      places.push(place);
      if (places.length >= 2 * count) cut();
    },
    list() {
      cut();
      return places;
    },
  };
}
