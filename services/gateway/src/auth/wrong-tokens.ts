// Bounds the look-ups of wrong tokens. After too many from one address, a gateway looks up only
// tokens that were valid recently. Each gateway counts on its own, since it bounds its own
// look-ups. Rules: AUTH3, LIM4.
import { isRefusal, type Refusal, refuse } from '@taskgraph/wire/errors';
import { LRUCache } from 'lru-cache';

/** The window starts with the first wrong token. */
const WINDOW_MS = 60_000;
/**
 * Past it, the least recently used address is dropped, so that many addresses cannot fill the
 * memory.
 */
const MAXIMUM_ADDRESSES = 100_000;
/**
 * How long a valid token is looked up regardless of its address: longer than most clients pause.
 */
const KNOWN_MS = 5 * 60_000;
const MAXIMUM_KNOWN = 50_000;
/** The retry time if too many look-ups are in progress. */
const UNDER_WAY_RETRY_MS = 1_000;

/** The tokens of an address that are not known as valid. */
interface AddressTokens {
  wrong: number;
  /** When the window ends, in milliseconds since 1970. */
  endsMs: number;
  /**
   * Look-ups in progress count as wrong until their answer, so that simultaneous ones are bounded
   * too.
   */
  underWay: number;
}

export type WrongTokens = ReturnType<typeof createWrongTokens>;

/**
 * `most` bounds an address's wrong tokens in a minute, and its simultaneous look-ups of unknown
 * tokens.
 */
export function createWrongTokens(most: number) {
  const byAddress = new LRUCache<string, AddressTokens>({ max: MAXIMUM_ADDRESSES });
  /** Hashes of valid tokens, and until when they count as known. */
  const known = new LRUCache<string, number>({ max: MAXIMUM_KNOWN });
  let refused = 0;

  function sentBy(address: string): AddressTokens {
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

  function note(hash: string, address: string, found: object): void {
    if (!isRefusal(found)) known.set(hash, Date.now() + KNOWN_MS);
    // Another refusal says nothing about the token.
    if (!isRefusal(found) || found.code !== 'unauthorized') return;
    known.delete(hash);
    const sent = sentBy(address);
    if (sent.endsMs <= Date.now()) Object.assign(sent, { wrong: 0, endsMs: Date.now() + WINDOW_MS });
    sent.wrong++;
  }

  return {
    /**
     * Looks up a token by its hash, unless its address has sent too many wrong tokens and it is not
     * known as valid.
     */
    async within<T extends object>(
      hash: string,
      address: string,
      lookUp: () => Promise<T | Refusal>,
    ): Promise<T | Refusal> {
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
    /** Tokens that were refused without a look-up. */
    refused: () => refused,
  };
}

function tooMany(retryAfterMs: number): Refusal {
  const message = 'Too many wrong tokens came from this address. Only recently valid tokens work now.';
  return refuse('rate_limited', message, { limit: 'tokens:wrong', retryAfterMs });
}
