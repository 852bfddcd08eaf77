// The limits of the service on which forms and changes depend. The service declares them in schemas,
// which would add zod to the page.

/** Operations of a batch (BAT1). */
export const MOST_OPERATIONS = 500;
/** Items of a list: tags, or people (NODE2). */
export const MOST_ITEMS = 64;
/** Characters of a title (NODE2). */
export const MOST_TITLE_CHARACTERS = 500;
/** The largest effort or priority (NODE2). */
export const MOST_NUMBER = 1_000_000;
/** Characters and words of a search (FIND4). */
export const MOST_SEARCH_CHARACTERS = 200;
export const MOST_SEARCH_WORDS = 10;
