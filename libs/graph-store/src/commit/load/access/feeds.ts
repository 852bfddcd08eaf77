// Feeds by name.
import { keepFeed } from '../hydrate.ts';
import { type Loader, notIn } from '../loader.ts';

/** In: feeds (names). Out: the feeds that exist. Locks: none. Cost: one index look-up each. */
const FEEDS = `
  UNWIND $in.feeds AS feed
  MATCH (f:Feed {id: feed})
  RETURN collect(properties(f)) AS feeds`;

export const feeds: Loader<string> = {
  cypher: FEEDS,
  missing: (world, names) => notIn(world.feeds, names),
  hydrate(world, names, rows) {
    for (const row of rows) keepFeed(world, row);
    for (const name of names) if (!world.feeds.has(name)) world.feeds.set(name, null);
  },
};
