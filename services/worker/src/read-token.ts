// Answers whose token it is, and which tokens still count. Gateways ask, and keep the answer for a moment. Rule: AUTH2.
import { findValidTokens, resolveToken } from '@taskgraph/graph-store/tokens';
import { refuse } from '@taskgraph/wire/errors';
import type { ResolvedToken } from '@taskgraph/wire/messages';
import { z } from 'zod';
import { nowOf, type Reading } from './reading.ts';

const tokenHash = z.object({ hash: z.string().regex(/^[0-9a-f]{64}$/) });

/** Whose token it is, by the SHA-256 of its text; null where it is unknown, expired or revoked, or its user disabled. */
export const readTokenOwner: Reading = async (message, { database, nowMs }) => {
  const payload = tokenHash.safeParse(message.payload);
  if (!payload.success) return refuse('bad_request', 'A hash of 64 hex digits is needed.');
  return { identity: await resolveToken(database, payload.data.hash, nowMs()) } satisfies ResolvedToken;
};

const tokenIds = z.object({ tokens: z.array(z.string().max(100)).max(1_000) });

/** Those of these tokens, by id, that still open something. */
export const checkTokens: Reading = async (message, environment) => {
  const payload = tokenIds.safeParse(message.payload);
  if (!payload.success) return refuse('bad_request', 'A list of at most 1,000 ids is needed.');
  return { valid: await findValidTokens(environment.database, payload.data.tokens, nowOf(environment)) };
};
