// Bounds the look-ups of wrong tokens, and of wrong addresses of calendars. After too many from one
// address, a gateway looks up only those that were valid recently. Each gateway counts on its own,
// since it bounds its own look-ups. Rules: AUTH3, LIM4, ICAL2.
import { isRefusal, type Refusal, refuse } from '@taskgraph/wire/errors';
import { LRUCache } from 'lru-cache';

/** The window starts with the first wrong token. */
const WINDOW_MS = 60_000;
/**
 * Past it, the least recently used address is dropped, so that many addresses cannot fill the
 * memory.
 */
const MAXIMUM_ADDRESSES = 100_000;
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/**
 * Each kind is counted apart, so that wrong texts of one kind lock out none of the other. A valid one
 * is looked up regardless of its address for `knownMs`, which is longer than most clients pause: many
 * programs read a calendar once a day.
 */
const KINDS = {
  tokens: { limit: 'tokens:wrong', wrong: 'wrong tokens', knownMs: 5 * MINUTE_MS },
  calendars: { limit: 'calendars:wrong', wrong: 'wrong addresses of calendars', knownMs: 14 * DAY_MS },
} as const;
type Kind = (typeof KINDS)[keyof typeof KINDS];

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
export function createWrongTokens(most: number, of: keyof typeof KINDS = 'tokens') {
  const kind = KINDS[of];
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
    return tooMany(kind, counted < most ? UNDER_WAY_RETRY_MS : leftMs);
  }

  function note(hash: string, address: string, found: object): void {
    if (!isRefusal(found)) known.set(hash, Date.now() + kind.knownMs);
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

function tooMany({ limit, wrong }: Kind, retryAfterMs: number): Refusal {
  const message = `Too many ${wrong} came from this address. Only recently valid ones work now.`;
  return refuse('rate_limited', message, { limit, retryAfterMs });
}
