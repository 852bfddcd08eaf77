// Answers the gateways' look-ups of tokens: their owners, and which ones are still valid. Gateways
// cache the answers briefly. Rule: AUTH2.
import { findValidTokens, resolveTokens } from '@taskgraph/graph-store/accounts/tokens';
import { GATEWAY_READS, type ResolvedTokens } from '@taskgraph/wire/bus/gateway-reads';
import { refuse } from '@taskgraph/wire/errors';
import { nowOf, type ReadHandler } from './read-handler.ts';

/**
 * The owners of tokens, by the SHA-256 of their texts, without unknown, expired and revoked tokens
 * and without disabled users.
 */
export const readTokenOwners: ReadHandler = async (message, { database, nowMs }) => {
  const payload = GATEWAY_READS['tokens:resolve'].safeParse(message.payload);
  if (!payload.success) return refuse('bad_request', 'A list of at most 500 hashes of 64 hex digits is needed.');
  const { hashes, scopes = false } = payload.data;
  const identities = await resolveTokens(database, hashes, { nowMs: nowMs(), knowsScopes: scopes });
  return { identities } satisfies ResolvedTokens;
};

/** The ids of these tokens that are still valid. */
export const checkTokens: ReadHandler = async (message, environment) => {
  const payload = GATEWAY_READS['tokens:check'].safeParse(message.payload);
  if (!payload.success) return refuse('bad_request', 'A list of at most 1,000 ids is needed.');
  return { valid: await findValidTokens(environment.database, payload.data.tokens, nowOf(environment)) };
};
