// The requests of REST that are open: how many there are, and what is kept of their bodies and of answers that nobody reads. Rules: LIM1, LIM4.
//
// uWebSockets itself closes connections that send less than 16 KB a second, or nothing for 10 s, before and within a request.
import { type Refusal, refuse } from '@taskgraph/wire/errors';

/** Answers are read at least as fast as bodies must be sent; a client that is slower is cut off. */
const SLOWEST_BYTES_A_SECOND = 16 * 1_024;
const RETRY_AFTER_MS = 1_000;

export interface RequestBounds {
  /** Requests that are open at once, of an address and in all. */
  readonly requestsOfAddress: number;
  readonly requests: number;
  /** Bytes that may be kept of bodies, and of answers that are being read. */
  readonly bodyBytes: number;
  readonly answerBytes: number;
  /** Milliseconds that an answer may take to be read, besides what its length takes. */
  readonly readingMs: number;
}

/** One request, from its arrival until its answer was read or its client is gone. */
export interface OpenRequest {
  /** Takes room for a part of the body; a refusal where there is none. */
  keepBody(bytes: number): Refusal | null;
  /** Notes that so much of its answer waits to be read. `cut` is called where that takes too long, or others need the room more. */
  keepAnswer(bytes: number, cut: () => void): void;
  /** Ends it; only the first call counts. */
  end(): void;
}

export type OpenRequests = ReturnType<typeof createOpenRequests>;

interface Unread {
  readonly bytes: number;
  readonly cut: () => void;
  readonly timer: NodeJS.Timeout;
}

export function createOpenRequests(bounds: RequestBounds) {
  const byAddress = new Map<string, number>();
  /** The one that has waited longest comes first. */
  const unread = new Set<Unread>();
  const refused = { 'requests:ip': 0, requests: 0, bodies: 0 };
  let [open, bodyBytes, answerBytes, cutOff] = [0, 0, 0, 0];

  function makeRoom(): void {
    for (const oldest of unread) {
      if (answerBytes <= bounds.answerBytes) return;
      cutOff++;
      oldest.cut();
    }
  }

  function drop(kept: Unread): void {
    if (!unread.delete(kept)) return;
    clearTimeout(kept.timer);
    answerBytes -= kept.bytes;
  }

  return {
    /** Takes a request in. It counts as open even where it is refused, until that was told. */
    begin(address: string): { readonly request: OpenRequest; readonly refusal: Refusal | null } {
      const others = byAddress.get(address) ?? 0;
      const refusal = others >= bounds.requestsOfAddress ? tooManyOfAddress : open >= bounds.requests ? tooMany : null;
      if (refusal !== null) refused[refusal === tooMany ? 'requests' : 'requests:ip']++;
      byAddress.set(address, others + 1);
      open++;
      let isOver = false;
      let ownBytes = 0;
      let answer: Unread | null = null;
      const request: OpenRequest = {
        keepBody(bytes) {
          if (isOver) return null;
          if (bodyBytes + bytes > bounds.bodyBytes) {
            refused.bodies++;
            return tooMuch;
          }
          ownBytes += bytes;
          bodyBytes += bytes;
          return null;
        },
        keepAnswer(bytes, cut) {
          if (isOver) return;
          const readingMs = bounds.readingMs + (bytes / SLOWEST_BYTES_A_SECOND) * 1_000;
          const cutLate = () => {
            cutOff++;
            cut();
          };
          answer = { bytes, cut, timer: setTimeout(cutLate, readingMs).unref() };
          unread.add(answer);
          answerBytes += bytes;
          makeRoom();
        },
        end() {
          if (isOver) return;
          isOver = true;
          open--;
          bodyBytes -= ownBytes;
          if (answer !== null) drop(answer);
          const left = (byAddress.get(address) ?? 1) - 1;
          if (left === 0) byAddress.delete(address);
          else byAddress.set(address, left);
        },
      };
      return { request, refusal };
    },
    refused,
    open: () => open,
    /** Bytes of bodies that are being received or worked on. */
    bodyBytes: () => bodyBytes,
    /** Bytes of answers that are being read. */
    answerBytes: () => answerBytes,
    /** Answers that were cut off, as they were read too slowly. */
    cutOff: () => cutOff,
  };
}

const tooManyOfAddress = refuse('rate_limited', 'This address has too many open requests. Wait for answers first.', {
  ...{ limit: 'requests:ip', retryAfterMs: RETRY_AFTER_MS },
});
const tooMany = refuse('unavailable', 'Too many requests are open. Try again soon.');
const tooMuch = refuse('unavailable', 'Too many bytes are being sent at once. Try again soon.');
