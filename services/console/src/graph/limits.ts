// The limits of the service on which forms and changes depend. The SDK exports them only with schemas,
// which would add zod to the page.

/** Operations of a batch (BAT1). */
export const MOST_OPERATIONS = 500;
/** Items of a list: tags, or people (NODE2). */
export const MOST_ITEMS = 64;
/** Characters of a title (NODE2). */
export const MOST_TITLE_CHARACTERS = 500;
