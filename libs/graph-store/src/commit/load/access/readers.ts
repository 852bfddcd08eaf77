// The users of e-mails.
import { type Loader, notIn } from '../loader.ts';

/** In: readers (e-mails). Out: email, and user, its user's id, or null. Locks: none. Cost: one index look-up each. */
const READERS = `
  UNWIND $in.readers AS email
  MATCH (p:Principal {email: email})
  RETURN collect({email: email, user: p.userId}) AS readers`;

export const readers: Loader<string> = {
  cypher: READERS,
  missing: (world, emails) => notIn(world.readers, emails),
  hydrate(world, emails, rows) {
    for (const { email, user } of rows as { email: string; user: string | null }[]) world.readers.set(email, user);
    // An e-mail that nobody ever granted anything to is nobody's either.
    for (const email of emails) if (!world.readers.has(email)) world.readers.set(email, null);
  },
};
