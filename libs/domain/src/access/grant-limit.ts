// How much access one owner may give to an e-mail. Reads show as much, so that all of it can be read. Rules: ACL10, ACL11.

/** Most grants that one e-mail has on the nodes of one owner; one more is refused. */
export const MAXIMUM_GRANTS_BY_OWNER = 2_000;
