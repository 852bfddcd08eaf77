// How much access may be given, and how much of it is shown: what one owner may grant can be read. Rules: ACL10, ACL11.

/** Most grants that one e-mail has on the nodes of one owner; one more is refused. */
export const MAXIMUM_GRANTS_BY_OWNER = 2_000;

/** Most feeds of others that a reader is shown, beside their own; past it the owners who granted take turns, and the reader is told. */
export const MAXIMUM_SHOWN_FEEDS = MAXIMUM_GRANTS_BY_OWNER;
