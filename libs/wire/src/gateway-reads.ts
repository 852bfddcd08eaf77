// The gateways' own questions to workers: the payload of each read that no client can name. Rules: AUTH2, EVT1, ACL5, PUB3.
import { z } from 'zod';

const LONGEST_ID = 100;
const LONGEST_EMAIL = 1_000;
const LONGEST_PUBLIC_TOKEN = 1_000;

/**
 * Payloads by event; lists are bounded, since each is one query. Unknown fields are overlooked, as in messages.ts, where the answers are.
 */
export const GATEWAY_READS = {
  /** The feeds of many users. */
  'readers:feeds': z.object({
    readers: z.array(z.object({ id: z.string().max(LONGEST_ID), email: z.string().max(LONGEST_EMAIL) })).max(500),
  }),
  /** The feeds behind public tokens. */
  'public:feeds': z.object({ tokens: z.array(z.string().max(LONGEST_PUBLIC_TOKEN)).max(500) }),
  /** How far feeds are. */
  'feeds:heads': z.object({ feeds: z.array(z.string().max(LONGEST_ID)).max(1_000) }),
  /** The owners of tokens, by the SHA-256 of their texts. */
  'tokens:resolve': z.object({ hashes: z.array(z.string().regex(/^[0-9a-f]{64}$/)).max(500) }),
  /** Which tokens still count, by their ids. */
  'tokens:check': z.object({ tokens: z.array(z.string().max(LONGEST_ID)).max(1_000) }),
} as const;

export type GatewayRead = keyof typeof GATEWAY_READS;
