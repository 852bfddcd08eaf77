// Answers whose token it is. Gateways ask, and keep the answer for a moment.
import { resolveToken } from '@taskgraph/graph-store/users';
import { refuse } from '@taskgraph/wire/errors';
import type { ResolvedToken } from '@taskgraph/wire/messages';
import { z } from 'zod';
import type { Reading } from './reading.ts';

const tokenHash = z.strictObject({ hash: z.string().regex(/^[0-9a-f]{64}$/) });

/** The user of a token, by the SHA-256 of its text; null where it is unknown, expired or revoked. */
export const readTokenOwner: Reading = async (message, { database }) => {
  const payload = tokenHash.safeParse(message.payload);
  if (!payload.success) return refuse('bad_request', 'A hash of 64 hex digits is needed.');
  return { user: await resolveToken(database, payload.data.hash) } satisfies ResolvedToken;
};
