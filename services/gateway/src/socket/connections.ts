// All raw connections of a gateway. It bounds those before admission, their time, and the buffers
// of slow ones. Rules: LIM1, LIM4.
import { type Refusal, refuse } from '@taskgraph/wire/errors';
import type { Limits } from '../limits/limits.ts';
import { Connection, type ConnectionDependencies } from './connection.ts';
import { END_REASONS, type EndReason } from './end-reason.ts';

/** Published bytes after which all sockets are checked, before the interval ends. */
const PUBLISHED_A_CHECK_BYTES = 256 * 1024;
const CHECK_INTERVAL_MS = 250;

export interface ConnectionBounds {
  /** Bytes buffered for one slow socket. */
  readonly backpressureBytes: number;
  /** Bytes buffered for all of them. */
  readonly allBackpressureBytes: number;
  /** Connections before admission, of an address and in total. */
  readonly unauthenticatedOfAddress: number;
  readonly unauthenticated: number;
  /** Milliseconds until a connection must be admitted. */
  readonly authenticationMs: number;
  /** Rejected calls of a connection in a minute. */
  readonly refusalsAMinute: number;
  /** Milliseconds that an ended connection has to read its buffer. */
  readonly readingOutMs: number;
}

interface ConnectionsOptions {
  readonly bounds: ConnectionBounds;
  readonly limits: Pick<Limits, 'take'>;
  readonly log: { error(fields: object, message: string): void };
}

export function createConnections({ bounds, limits, log }: ConnectionsOptions) {
  const all = new Set<Connection>();
  const waiting = new Map<Connection, NodeJS.Timeout>();
  const waitingByAddress = new Map<string, number>();
  const ended = Object.fromEntries(END_REASONS.map((ending) => [ending, 0])) as Record<EndReason, number>;
  const refused = { unauthenticated: 0, 'unauthenticated:ip': 0 };
  let buffered = 0;
  let publishedBytes = 0;
  let soon: NodeJS.Timeout | undefined;

  async function count(connection: Connection, limit: 'connect' | 'socket'): Promise<Refusal | null> {
    const caller = { ip: connection.address, user: connection.user };
    try {
      return (await limits.take([limit], caller)).refusal;
    } catch (error) {
      log.error({ error }, 'the calls of a connection could not be counted');
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
   * Ends slow connections. If all buffers together exceed their bound, cuts off those with the
   * largest.
   */
  function check(): void {
    publishedBytes = 0;
    clearTimeout(soon);
    soon = undefined;
    buffered = 0;
    const buffering: (readonly [Connection, number])[] = [];
    for (const connection of [...all]) {
      const bytes = connection.bufferedBytes();
      if (bytes === 0) continue;
      buffered += bytes;
      buffering.push([connection, bytes]);
      endSlow(connection);
    }
    if (buffered <= bounds.allBackpressureBytes) return;
    buffering.sort(([, one], [, other]) => other - one);
    for (const [connection, bytes] of buffering) {
      if (buffered <= bounds.allBackpressureBytes) return;
      connection.cutOff('crowded');
      buffered -= bytes;
    }
  }

  function checkSoon(): void {
    // Publications are sent at the end of this turn.
    soon ??= setTimeout(check, 0);
  }

  const dependencies: ConnectionDependencies = {
    count,
    refusalsAMinute: bounds.refusalsAMinute,
    readingOutMs: bounds.readingOutMs,
    onBackpressure: endSlow,
    onEnd: (ending) => ended[ending]++,
    onAccepted: stopWaiting,
    onGone(gone) {
      stopWaiting(gone);
      all.delete(gone);
    },
  };
  const checking = setInterval(check, CHECK_INTERVAL_MS);
  checking.unref();

  return {
    /** Begins a connection that wants to upgrade, or refuses it. Counts for the limit `upgrade`. */
    async takeUpgrade(address: string): Promise<Connection | Refusal> {
      const { refusal } = await limits.take(['upgrade'], { ip: address });
      if (refusal !== null) return refusal;
      if (waiting.size >= bounds.unauthenticated) {
        refused.unauthenticated++;
        return tooManyUnauthenticated;
      }
      if ((waitingByAddress.get(address) ?? 0) >= bounds.unauthenticatedOfAddress) {
        refused['unauthenticated:ip']++;
        return tooManyOfAddress(bounds.authenticationMs);
      }
      const connection = new Connection(address, dependencies);
      all.add(connection);
      wait(connection);
      return connection;
    },
    /** Counts a publication, which may be large and have many receivers. */
    published(bytes: number): void {
      publishedBytes += bytes;
      if (publishedBytes >= PUBLISHED_A_CHECK_BYTES) checkSoon();
    },
    ended,
    refused,
    /** All connections, including ended ones that are still being read. */
    all: () => all.size,
    /** Connections before admission. */
    waiting: () => waiting.size,
    /** Bytes in all buffers at the last check. */
    bufferedBytes: () => buffered,
    stop(): void {
      clearInterval(checking);
      clearTimeout(soon);
      for (const timer of waiting.values()) clearTimeout(timer);
    },
  };
}

/** Not `unauthorized`: the client would drop its token and its data. */
const unanswered = refuse('unavailable', 'The token could not be checked in time. Connect again.');
const late = refuse('unauthorized.late', 'A connection must authenticate in time.');
const slow = refuse(
  'unavailable.slow_reader',
  'You read too slowly. Connect again, and request the changes that you missed.',
);
const tooManyUnauthenticated = refuse('unavailable', 'There are too many unauthenticated connections. Try again soon.');

function tooManyOfAddress(retryAfterMs: number): Refusal {
  const message = 'This address has too many unauthenticated connections.';
  return refuse('rate_limited', message, { limit: 'unauthenticated:ip', retryAfterMs });
}
