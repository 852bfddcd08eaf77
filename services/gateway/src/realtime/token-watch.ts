// Closes the sockets of ended tokens, and the connections of answers that are being sent: on a
// control message, at the token's expiry, or when a check with the workers finds it ended. Rules:
// AUTH1, AUTH2.
import { chunksOf } from '@taskgraph/wire/chunks';
import { isRefusal } from '@taskgraph/wire/errors';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { EndedTokens } from '../auth/authentication.ts';
import type { Identity } from '../auth/token.ts';
import type { AskWorkers } from '../worker-client.ts';
import { type Alarm, createAlarm } from './clock-timer.ts';

/** Tokens in one read. */
const TOKENS_A_READ = 1_000;
/** Ended tokens are kept for longer than a socket takes to connect with an identity from before. */
const KEPT = { max: 10_000, ttl: 60_000 };

interface TokenWatchOptions {
  readonly askWorkers: AskWorkers;
  /** Drops the authenticator's cached identities of ended tokens. */
  readonly forget: (ended: EndedTokens) => void;
  readonly log: { warn(fields: object, message: string): void; error(fields: object, message: string): void };
}

export interface WatchedSocket {
  /** The ids of its token and of the token's user. */
  readonly token: string;
  readonly user: string;
  readonly close: () => void;
  /** Rings when the token expires; null if it does not. */
  alarm: Alarm | null;
}

/** All sockets of users, by their tokens; bounded by the open connections. */
export interface TokenWatch {
  /** Watches a socket until it leaves. Calls `close` at most once. */
  enter(identity: Identity, close: () => void): WatchedSocket;
  /** Stops watching a socket; does nothing if it was closed. */
  leave(watched: WatchedSocket): void;
  /** Closes the sockets of ended tokens and disabled users. */
  end(ended: EndedTokens): void;
  /**
   * Asks workers about the tokens of all sockets and closes those of ended tokens, which repairs a
   * lost control message.
   */
  check(): Promise<void>;
}

const checked = z.object({ valid: z.array(z.string()) });

export function createTokenWatch({ askWorkers, forget, log }: TokenWatchOptions): TokenWatch {
  const byToken = new Map<string, Set<WatchedSocket>>();
  const endedRecently = new LRUCache<string, true>(KEPT);

  function leave(watched: WatchedSocket): void {
    const others = byToken.get(watched.token);
    others?.delete(watched);
    if (others?.size === 0) byToken.delete(watched.token);
    watched.alarm?.set(null);
  }

  function closeOne(watched: WatchedSocket): void {
    leave(watched);
    watched.close();
  }

  function closeAll(token: string): void {
    for (const watched of [...(byToken.get(token) ?? [])]) closeOne(watched);
  }

  async function ask(tokens: string[]): Promise<void> {
    const answer = await askWorkers('tokens:check', { tokens }, checked);
    if (isRefusal(answer)) {
      log.warn({ error: answer.code }, 'tokens could not be checked; the next round tries again');
      return;
    }
    const valid = new Set(answer.valid);
    const ended = tokens.filter((token) => !valid.has(token));
    // The cache first, so that no socket connects by it while these are closed.
    forget({ tokens: ended });
    for (const token of ended) closeAll(token);
  }

  return {
    enter({ user, token }, close) {
      const { id, expires } = token;
      const watched: WatchedSocket = { token: id, user: user.id, close, alarm: null };
      byToken.set(id, (byToken.get(id) ?? new Set()).add(watched));
      if (expires !== null) {
        watched.alarm = createAlarm(() => closeOne(watched));
        watched.alarm.set(Date.parse(expires));
      }
      // Its identity may have been looked up before the token ended.
      if (endedRecently.has(id) || endedRecently.has(user.id)) {
        ask([id]).catch((error: unknown) => log.error({ error }, 'a token could not be checked'));
      }
      return watched;
    },
    leave,
    end({ tokens = [], users = [] }) {
      for (const id of [...tokens, ...users]) endedRecently.set(id, true);
      for (const token of tokens) closeAll(token);
      if (users.length === 0) return;
      const disabled = new Set(users);
      for (const [token, sockets] of [...byToken]) {
        if ([...sockets].some(({ user }) => disabled.has(user))) closeAll(token);
      }
    },
    async check() {
      const tokens = [...byToken.keys()];
      for (const some of chunksOf(tokens, TOKENS_A_READ)) await ask(some);
    },
  };
}

/** Calls `close` if the token ends. Returns a function that stops watching it. */
export function watchToken(
  tokens: Pick<TokenWatch, 'enter' | 'leave'>,
  identity: Identity,
  close: () => void,
): () => void {
  const watched = tokens.enter(identity, close);
  return () => tokens.leave(watched);
}
