// The limit on the grants of one owner to an e-mail. Reads return as many, so no grant is out of
// reach. Rules: ACL10, ACL11.

/** Most grants of one e-mail on the nodes of one owner. */
export const MAXIMUM_GRANTS_BY_OWNER = 2_000;
