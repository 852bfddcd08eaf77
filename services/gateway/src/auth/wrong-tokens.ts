// Bounds what tokens that open nothing may cost: past so many wrong ones of an address, a gateway looks up only those of it that were
// valid a short while ago. Counted in each gateway alone, as it is its own look-ups that are to be bounded. Rules: AUTH3, LIM4.
import { isRefusal, type Refusal, refuse } from '@taskgraph/wire/errors';
import { LRUCache } from 'lru-cache';
import type { Identity } from './token.ts';

/** A window begins with the first wrong token. */
const WINDOW_MS = 60_000;
/** Past it, addresses that were longest quiet begin anew, so that a flood of them can't fill the memory. */
const MAXIMUM_ADDRESSES = 100_000;
/** How long a token that was valid is looked up whatever its neighbours send: longer than most clients pause. */
const KNOWN_MS = 5 * 60_000;
const MAXIMUM_KNOWN = 50_000;
/** When to come again where it is look-ups under way that are too many. */
const UNDER_WAY_RETRY_MS = 1_000;

/** The tokens of an address that were not known to be valid. */
interface Sent {
  wrong: number;
  /** When the wrong ones are forgotten, in milliseconds since 1970. */
  endsMs: number;
  /** Look-ups that may turn out to be of wrong ones: else those that come at once would not be counted in time. */
  underWay: number;
}

type Found = Identity | Refusal;

export type WrongTokens = ReturnType<typeof createWrongTokens>;

/** `most`: wrong tokens that an address may send in a minute, and tokens of it not known to be valid that may be looked up at once. */
export function createWrongTokens(most: number) {
  const byAddress = new LRUCache<string, Sent>({ max: MAXIMUM_ADDRESSES });
  /** Hashes of tokens that were found valid, with when that is too long ago. */
  const known = new LRUCache<string, number>({ max: MAXIMUM_KNOWN });
  let refused = 0;

  function sentBy(address: string): Sent {
    const sent = byAddress.get(address) ?? { wrong: 0, endsMs: 0, underWay: 0 };
    byAddress.set(address, sent);
    return sent;
  }

  function refusalFor(address: string): Refusal | null {
    const { wrong, endsMs, underWay } = sentBy(address);
    const leftMs = endsMs - Date.now();
    const counted = leftMs > 0 ? wrong : 0;
    if (counted + underWay < most) return null;
    refused++;
    return tooMany(counted < most ? UNDER_WAY_RETRY_MS : leftMs);
  }

  function note(hash: string, address: string, found: Found): void {
    if (!isRefusal(found)) known.set(hash, Date.now() + KNOWN_MS);
    // Any other refusal says nothing about the token.
    if (!isRefusal(found) || found.code !== 'unauthorized') return;
    known.delete(hash);
    const sent = sentBy(address);
    if (sent.endsMs <= Date.now()) Object.assign(sent, { wrong: 0, endsMs: Date.now() + WINDOW_MS });
    sent.wrong++;
  }

  return {
    /** Looks a token up, by its hash, unless the address has sent too many wrong ones and this one may be another. */
    async within(hash: string, address: string, lookUp: () => Promise<Found>): Promise<Found> {
      const isKnown = (known.get(hash) ?? 0) > Date.now();
      const refusal = isKnown ? null : refusalFor(address);
      if (refusal !== null) return refusal;
      const sent = sentBy(address);
      if (!isKnown) sent.underWay++;
      try {
        const found = await lookUp();
        note(hash, address, found);
        return found;
      } finally {
        if (!isKnown) sent.underWay--;
      }
    },
    /** Tokens that were refused without a look at them. */
    refused: () => refused,
  };
}

function tooMany(retryAfterMs: number): Refusal {
  const message = 'Too many wrong tokens came from this address. Only recently valid tokens work now.';
  return refuse('rate_limited', message, { limit: 'tokens:wrong', retryAfterMs });
}
