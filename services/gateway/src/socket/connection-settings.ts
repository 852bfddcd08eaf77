// The settings that bound sockets and open requests: numbers, times and buffers. Rule: LIM4.
import { z } from 'zod';
import type { RequestBounds } from '../http/open-requests.ts';
import type { ConnectionQuotaBounds } from './connection-quotas.ts';
import type { ConnectionBounds } from './connections.ts';

const KIB = 1_024;
const MIB = 1_024 * KIB;

const READING_OUT_MS = 5_000;
const READING_MS = 10_000;

const number = (least: number, most: number) => z.coerce.number().int().min(least).max(most);

/** A part of the gateway's configuration. */
export const connectionSettings = {
  SOCKETS_PER_USER: {
    schema: number(1, 1_000_000),
    default: 100,
    description: 'The limit sockets:user: maximum number of open sockets of a user, over all gateways.',
  },
  SOCKETS_PER_ADDRESS: {
    schema: number(1, 1_000_000),
    default: 500,
    description:
      'The limit sockets:ip: maximum number of open sockets of an address, over all gateways; behind a proxy set TRUSTED_PROXIES too.',
  },
  UNAUTHENTICATED_SOCKETS: {
    schema: number(1, 1_000_000),
    default: 1_000,
    description: 'Maximum number of connections to a gateway that have not authenticated yet.',
  },
  UNAUTHENTICATED_SOCKETS_PER_ADDRESS: {
    schema: number(1, 1_000_000),
    default: 20,
    description: 'The limit unauthenticated:ip: maximum number of such connections of an address to a gateway.',
  },
  AUTHENTICATION_LIMIT_MS: {
    schema: number(100, 600_000),
    default: 10_000,
    description: 'Milliseconds in which a connection must authenticate; then it is closed.',
  },
  SOCKET_REFUSALS_PER_MINUTE: {
    schema: number(1, 1_000_000),
    default: 300,
    description:
      'The limit socket:refused: calls of a socket in a minute that may be rejected before parsing; one more closes the socket.',
  },
  SOCKET_BACKPRESSURE_BYTES: {
    schema: number(64 * KIB, 64 * MIB),
    default: MIB,
    description: 'Bytes buffered for a socket that reads too slowly; more close the socket.',
  },
  BACKPRESSURE_BYTES: {
    schema: number(MIB, 16 * 1_024 * MIB),
    default: 128 * MIB,
    description:
      'Maximum bytes that a gateway buffers for slow sockets in total; beyond that, it closes the sockets with the most.',
  },
  WRONG_TOKENS_PER_ADDRESS: {
    schema: number(1, 1_000_000),
    default: 100,
    description:
      'The limits tokens:wrong and calendars:wrong: maximum wrong tokens of a client address that a gateway looks up in a minute, and as many wrong addresses of calendars. After that, it accepts only tokens that were valid within the last 5 minutes, and addresses of calendars that were valid within the last 14 days.',
  },
  REQUESTS_PER_ADDRESS: {
    schema: number(1, 1_000_000),
    default: 200,
    description: 'The limit requests:ip: maximum number of open REST requests of an address in a gateway.',
  },
  REQUESTS: {
    schema: number(1, 1_000_000),
    default: 2_000,
    description: 'Maximum number of open REST requests in a gateway.',
  },
  WAITING_CALLS_PER_USER: {
    schema: number(1, 1_000_000),
    default: 20,
    description: 'The limit waiting:user: maximum number of waiting calls of a user, over all gateways.',
  },
  WAITING_CALLS_PER_ADDRESS: {
    schema: number(1, 1_000_000),
    default: 500,
    description: 'The limit waiting:ip: maximum number of waiting calls of an address, over all gateways.',
  },
  WAITING_CALLS: {
    schema: number(1, 1_000_000),
    default: 5_000,
    description: 'Maximum number of waiting calls in a gateway.',
  },
  BODY_BYTES: {
    schema: number(MIB, 16 * 1_024 * MIB),
    default: 64 * MIB,
    description: 'Maximum bytes of request bodies that a gateway buffers; further requests are refused.',
  },
  ANSWER_BYTES: {
    schema: number(MIB, 16 * 1_024 * MIB),
    default: 64 * MIB,
    description: 'Maximum bytes of slowly read answers that a gateway buffers; beyond that, it aborts the oldest.',
  },
} as const;

type Config = { readonly [Name in keyof typeof connectionSettings]: number };

interface Bounds extends ConnectionBounds {
  readonly quotas: ConnectionQuotaBounds;
  readonly rest: RequestBounds;
  readonly wrongTokens: number;
  /** Waiting calls of a gateway, and their quotas. */
  readonly waiting: { readonly most: number; readonly quotas: ConnectionQuotaBounds<'waiting'> };
}

/** Bounds on memory always hold. `TASKGRAPH_LIMITS=off` lifts those on numbers. */
export function connectionBoundsOf(config: Config, isLimited: boolean): Bounds {
  const most = (count: number) => (isLimited ? count : Number.MAX_SAFE_INTEGER);
  return {
    backpressureBytes: config.SOCKET_BACKPRESSURE_BYTES,
    allBackpressureBytes: config.BACKPRESSURE_BYTES,
    authenticationMs: config.AUTHENTICATION_LIMIT_MS,
    unauthenticated: most(config.UNAUTHENTICATED_SOCKETS),
    unauthenticatedOfAddress: most(config.UNAUTHENTICATED_SOCKETS_PER_ADDRESS),
    refusalsAMinute: most(config.SOCKET_REFUSALS_PER_MINUTE),
    wrongTokens: most(config.WRONG_TOKENS_PER_ADDRESS),
    readingOutMs: READING_OUT_MS,
    rest: {
      requestsOfAddress: most(config.REQUESTS_PER_ADDRESS),
      requests: most(config.REQUESTS),
      bodyBytes: config.BODY_BYTES,
      answerBytes: config.ANSWER_BYTES,
      readingMs: READING_MS,
    },
    waiting: {
      most: most(config.WAITING_CALLS),
      quotas: {
        'waiting:user': most(config.WAITING_CALLS_PER_USER),
        'waiting:ip': most(config.WAITING_CALLS_PER_ADDRESS),
      },
    },
    quotas: { 'sockets:user': most(config.SOCKETS_PER_USER), 'sockets:ip': most(config.SOCKETS_PER_ADDRESS) },
  };
}
