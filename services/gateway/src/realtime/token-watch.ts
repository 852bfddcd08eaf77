// Closes the sockets of tokens that have ended: when told, by their own end, and when a look at the tokens shows it. Rules: AUTH1, AUTH2.
import { chunksOf } from '@taskgraph/wire/chunks';
import { isRefusal } from '@taskgraph/wire/errors';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { EndedTokens } from '../auth/authentication.ts';
import type { Identity } from '../auth/token.ts';
import type { AskWorkers } from '../worker-questions.ts';
import { type Alarm, createAlarm } from './clock-timer.ts';

/** Tokens that one read asks for. */
const TOKENS_A_READ = 1_000;
/** An ended token is remembered for longer than a socket may be on its way in with an identity from before. */
const REMEMBERED = { max: 10_000, ttl: 60_000 };

interface Options {
  readonly askWorkers: AskWorkers;
  /** Takes from the authenticator what it knows of tokens that a look has found to have ended. */
  readonly forget: (ended: EndedTokens) => void;
  readonly log: { warn(fields: object, message: string): void; error(fields: object, message: string): void };
}

/** A socket that is watched over. */
export interface Watched {
  /** The ids of its token and of the token's user. */
  readonly token: string;
  readonly user: string;
  readonly close: () => void;
  /** Rings when the token ends by the clock; null where it does not. */
  alarm: Alarm | null;
}

/** All sockets of users, by their tokens. Their number is that of the connections. */
export interface TokenWatch {
  /** Watches over a socket until it leaves. `close` is called at most once. */
  enter(identity: Identity, close: () => void): Watched;
  /** Ends that; it may have ended. */
  leave(watched: Watched): void;
  /** Closes the sockets of what has ended. */
  end(ended: EndedTokens): void;
  /** Asks workers about the tokens of all sockets, and closes those that have ended: a control message that got lost is made up for. */
  check(): Promise<void>;
}

const checked = z.object({ valid: z.array(z.string()) });

export function createTokenWatch({ askWorkers, forget, log }: Options): TokenWatch {
  const byToken = new Map<string, Set<Watched>>();
  const remembered = new LRUCache<string, true>(REMEMBERED);

  function leave(watched: Watched): void {
    const others = byToken.get(watched.token);
    others?.delete(watched);
    if (others?.size === 0) byToken.delete(watched.token);
    watched.alarm?.set(null);
  }

  function closeOne(watched: Watched): void {
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
    // First what is known of them, so that nobody comes in by it again.
    forget({ tokens: ended });
    for (const token of ended) closeAll(token);
  }

  return {
    enter({ user, token }, close) {
      const { id, expires } = token;
      const watched: Watched = { token: id, user: user.id, close, alarm: null };
      byToken.set(id, (byToken.get(id) ?? new Set()).add(watched));
      if (expires !== null) {
        watched.alarm = createAlarm(() => closeOne(watched));
        watched.alarm.set(Date.parse(expires));
      }
      // Its identity may have been found just before.
      if (remembered.has(id) || remembered.has(user.id)) {
        ask([id]).catch((error: unknown) => log.error({ error }, 'a token could not be checked'));
      }
      return watched;
    },
    leave,
    end({ tokens = [], users = [] }) {
      for (const id of [...tokens, ...users]) remembered.set(id, true);
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
