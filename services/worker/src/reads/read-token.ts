// Answers whose token it is, and which tokens still count. Gateways ask, and keep the answer for a moment. Rule: AUTH2.
import { findValidTokens, resolveToken } from '@taskgraph/graph-store/accounts/tokens';
import { refuse } from '@taskgraph/wire/errors';
import { GATEWAY_READS } from '@taskgraph/wire/gateway-reads';
import type { ResolvedToken } from '@taskgraph/wire/messages';
import { nowOf, type Reading } from './reading.ts';

/** The owner of a token, by the SHA-256 of its text; null where it is unknown, expired or revoked, or its user disabled. */
export const readTokenOwner: Reading = async (message, { database, nowMs }) => {
  const payload = GATEWAY_READS['token:resolve'].safeParse(message.payload);
  if (!payload.success) return refuse('bad_request', 'A hash of 64 hex digits is needed.');
  return { identity: await resolveToken(database, payload.data.hash, nowMs()) } satisfies ResolvedToken;
};

/** Those of these tokens, by id, that still open something. */
export const checkTokens: Reading = async (message, environment) => {
  const payload = GATEWAY_READS['tokens:check'].safeParse(message.payload);
  if (!payload.success) return refuse('bad_request', 'A list of at most 1,000 ids is needed.');
  return { valid: await findValidTokens(environment.database, payload.data.tokens, nowOf(environment)) };
};
