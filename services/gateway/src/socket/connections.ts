// All raw connections of a gateway: how many may wait to say who they are, and for how long; what
// is kept for slow ones. Rules: LIM1, LIM4.
import { type Refusal, refuse } from '@taskgraph/wire/errors';
import type { Limits } from '../limits/limits.ts';
import { Connection, type ConnectionGround } from './connection.ts';
import { ENDINGS, type Ending } from './ending.ts';

/**
 * Bytes that are published between two looks at all sockets, unless the time for one comes first.
 */
const PUBLISHED_A_LOOK_BYTES = 256 * 1024;
const LOOK_INTERVAL_MS = 250;

export interface ConnectionBounds {
  /** Bytes that may be kept for one slow socket. */
  readonly backpressureBytes: number;
  /** Bytes that may be kept for all of them. */
  readonly allBackpressureBytes: number;
  /** Connections that have not said yet who they are, of an address and in all. */
  readonly unauthenticatedOfAddress: number;
  readonly unauthenticated: number;
  /** Milliseconds in which a connection has to be let in. */
  readonly authenticationMs: number;
  /** Refused calls of a connection in a minute. */
  readonly refusalsAMinute: number;
  /** Milliseconds that an ended connection has to read what it was sent before. */
  readonly readingOutMs: number;
}

interface Options {
  readonly bounds: ConnectionBounds;
  readonly limits: Pick<Limits, 'take'>;
  readonly log: { error(fields: object, message: string): void };
}

export type Connections = ReturnType<typeof createConnections>;

export function createConnections({ bounds, limits, log }: Options) {
  const all = new Set<Connection>();
  const waiting = new Map<Connection, NodeJS.Timeout>();
  const waitingByAddress = new Map<string, number>();
  const ended = Object.fromEntries(ENDINGS.map((ending) => [ending, 0])) as Record<Ending, number>;
  const refused = { unauthenticated: 0, 'unauthenticated:ip': 0 };
  let buffered = 0;
  let publishedBytes = 0;
  let soon: NodeJS.Timeout | undefined;

  async function count(connection: Connection, what: 'connect' | 'socket'): Promise<Refusal | null> {
    const caller = { ip: connection.address, user: connection.user };
    try {
      return (await limits.take([what], caller)).refusal;
    } catch (error) {
      log.error({ error }, 'what a connection asked for could not be counted');
      return null;
    }
  }

  function wait(connection: Connection): void {
    const { address } = connection;
    waiting.set(
      connection,
      setTimeout(() => {
        if (connection.isConnecting) connection.end('unanswered', unanswered);
        else connection.end('late', late);
      }, bounds.authenticationMs),
    );
    waitingByAddress.set(address, (waitingByAddress.get(address) ?? 0) + 1);
  }

  function stopWaiting(connection: Connection): void {
    if (!waiting.has(connection)) return;
    clearTimeout(waiting.get(connection));
    waiting.delete(connection);
    const others = (waitingByAddress.get(connection.address) ?? 1) - 1;
    if (others === 0) waitingByAddress.delete(connection.address);
    else waitingByAddress.set(connection.address, others);
  }

  function endSlow(connection: Connection): void {
    if (connection.bufferedBytes() > bounds.backpressureBytes) connection.end('slow', slow);
  }

  /**
   * Ends who is too slow. Past what may be kept for all, those for whom most is kept are cut off,
   * until the others have room.
   */
  function look(): void {
    publishedBytes = 0;
    clearTimeout(soon);
    soon = undefined;
    buffered = 0;
    const slowOnes: (readonly [Connection, number])[] = [];
    for (const connection of [...all]) {
      const bytes = connection.bufferedBytes();
      if (bytes === 0) continue;
      buffered += bytes;
      slowOnes.push([connection, bytes]);
      endSlow(connection);
    }
    if (buffered <= bounds.allBackpressureBytes) return;
    slowOnes.sort(([, one], [, other]) => other - one);
    for (const [connection, bytes] of slowOnes) {
      if (buffered <= bounds.allBackpressureBytes) return;
      connection.cutOff('crowded');
      buffered -= bytes;
    }
  }

  function lookSoon(): void {
    // Publications go out at the end of this turn.
    soon ??= setTimeout(look, 0);
  }

  const ground: ConnectionGround = {
    ...{ count, refusalsAMinute: bounds.refusalsAMinute, readingOutMs: bounds.readingOutMs },
    onBackpressure: endSlow,
    onEnd: (ending) => ended[ending]++,
    onAccepted: stopWaiting,
    onGone(gone) {
      stopWaiting(gone);
      all.delete(gone);
    },
  };
  const looking = setInterval(look, LOOK_INTERVAL_MS);
  looking.unref();

  return {
    /** Takes in a connection that asks to be upgraded, or says why not. It counts for `upgrade`. */
    async takeUpgrade(address: string): Promise<Connection | Refusal> {
      const { refusal } = await limits.take(['upgrade'], { ip: address });
      if (refusal !== null) return refusal;
      if (waiting.size >= bounds.unauthenticated) {
        refused.unauthenticated++;
        return tooManyStrangers;
      }
      if ((waitingByAddress.get(address) ?? 0) >= bounds.unauthenticatedOfAddress) {
        refused['unauthenticated:ip']++;
        return tooManyOfAddress(bounds.authenticationMs);
      }
      const connection = new Connection(address, ground);
      all.add(connection);
      wait(connection);
      return connection;
    },
    /** Notes what is published to a topic: it may be much, and for many. */
    published(bytes: number): void {
      publishedBytes += bytes;
      if (publishedBytes >= PUBLISHED_A_LOOK_BYTES) lookSoon();
    },
    ended,
    refused,
    /** Connections that are there, those included that have ended and are still being read out. */
    all: () => all.size,
    /** Connections that have not been let in yet. */
    waiting: () => waiting.size,
    /** Bytes kept for slow sockets when last looked at. */
    bufferedBytes: () => buffered,
    stop(): void {
      clearInterval(looking);
      clearTimeout(soon);
      for (const timer of waiting.values()) clearTimeout(timer);
    },
  };
}

/** A client that took this for a word about its token would forget all that it has. */
const unanswered = refuse('unavailable', 'The token could not be checked in time. Connect again.');
const late = refuse('unauthorized.late', 'A connection must authenticate in time.');
const slow = refuse(
  'unavailable.slow_reader',
  'You read too slowly. Connect again, and request the changes that you missed.',
);
const tooManyStrangers = refuse('unavailable', 'There are too many unauthenticated connections. Try again soon.');

function tooManyOfAddress(retryAfterMs: number): Refusal {
  const message = 'This address has too many unauthenticated connections.';
  return refuse('rate_limited', message, { limit: 'unauthenticated:ip', retryAfterMs });
}
