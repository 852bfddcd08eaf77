// Bounds on grants and on the feeds that a reader sees. They are equal, so that all grants of one owner can be read. Rules: ACL10, ACL11.

/** Most grants of one owner to one e-mail; a further one is refused. */
export const MAXIMUM_GRANTS_BY_OWNER = 2_000;

/** Most feeds of others that a reader sees beside their own. If there are more, the granting owners take turns and the answer says so. */
export const MAXIMUM_SHOWN_FEEDS = 2_000;
