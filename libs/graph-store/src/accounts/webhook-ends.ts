// The parts of statements on tokens that concern webhooks: they end with their tokens, and pass to
// the successor of a rotated one. Rule: HOOK3.
//
// A webhook that a run still delivers stores nothing after its end, since its version has grown.

const END = `w.state = 'disabled', w.reason = 'token_ended', w.version = w.version + 1, w.message = null,
  w.dueMessage = null, w.dueSearch = null`;

/**
 * In: u, ends (whether they end). Out: as before. Locks: the Webhooks, after the User. Cost: their
 * number.
 */
export const END_WEBHOOKS = `CALL (u, ends) {
  MATCH (u)-[:HAS_WEBHOOK]->(w:Webhook) WHERE ends AND w.state IN ['pending', 'active']
  SET ${END}
}`;

/**
 * In: u, t (a Token). Out: as before. Locks: the Webhooks, after the User. Cost: the number of the
 * user's webhooks.
 */
export const END_WEBHOOKS_OF_TOKEN = `CALL (u, t) {
  MATCH (u)-[:HAS_WEBHOOK]->(w:Webhook {tokenId: t.id}) WHERE w.state IN ['pending', 'active']
  SET ${END}
}`;

/**
 * In: u, t and next (Tokens). Out: as before. Locks: the Webhooks, after the User. Cost: the number of
 * the user's webhooks.
 */
export const PASS_WEBHOOKS_ON = `CALL (u, t, next) {
  MATCH (u)-[:HAS_WEBHOOK]->(w:Webhook {tokenId: t.id})
  SET w.tokenId = next.id
}`;
