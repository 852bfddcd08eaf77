// The open REST requests, with bounds on their number, on the bytes of their bodies, and on unread
// answers. Rules: LIM1, LIM4.
//
// uWebSockets itself closes connections that send less than 16 KB a second, or nothing for 10 s.
import { type Refusal, refuse } from '@taskgraph/wire/errors';

/**
 * The lowest rate at which a client must read an answer, as bodies must be sent; a slower one is
 * cut off.
 */
const SLOWEST_BYTES_A_SECOND = 16 * 1_024;
const RETRY_AFTER_MS = 1_000;

export interface RequestBounds {
  /** Open requests of an address, and in total. */
  readonly requestsOfAddress: number;
  readonly requests: number;
  /** Bytes of bodies in memory, and of unread answers. */
  readonly bodyBytes: number;
  readonly answerBytes: number;
  /** Milliseconds that a client may take to read an answer, on top of those for its length. */
  readonly readingMs: number;
}

/** One request, from its arrival until the client has read the answer or disconnected. */
export interface OpenRequest {
  /** Reserves memory for a part of the body; refuses it past the bound. */
  keepBody(bytes: number): Refusal | null;
  /**
   * Counts an unread answer. Calls `cut` if reading takes too long, or if newer answers need the
   * memory.
   */
  keepAnswer(bytes: number, cut: () => void): void;
  /**
   * Stops counting the request and its body while its answer waits for a change (LONG2). Returns a
   * function that counts the request again.
   */
  pause(): () => void;
  /** Ends the request; only the first call counts. */
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
  /** The oldest comes first. */
  const unread = new Set<Unread>();
  const refused = { 'requests:ip': 0, requests: 0, bodies: 0 };
  let [open, bodyBytes, answerBytes, cutOff] = [0, 0, 0, 0];

  function cutOldest(): void {
    for (const oldest of unread) {
      if (answerBytes <= bounds.answerBytes) return;
      cutOff++;
      oldest.cut();
    }
  }

  function drop(answer: Unread): void {
    if (!unread.delete(answer)) return;
    clearTimeout(answer.timer);
    answerBytes -= answer.bytes;
  }

  function enter(address: string): void {
    byAddress.set(address, (byAddress.get(address) ?? 0) + 1);
    open++;
  }

  function leave(address: string): void {
    open--;
    const left = (byAddress.get(address) ?? 1) - 1;
    if (left === 0) byAddress.delete(address);
    else byAddress.set(address, left);
  }

  return {
    /** Begins a request. A refused one counts as open too, until its refusal is sent. */
    begin(address: string): { readonly request: OpenRequest; readonly refusal: Refusal | null } {
      const others = byAddress.get(address) ?? 0;
      const refusal = others >= bounds.requestsOfAddress ? tooManyOfAddress : open >= bounds.requests ? tooMany : null;
      if (refusal !== null) refused[refusal === tooMany ? 'requests' : 'requests:ip']++;
      enter(address);
      let [isOver, isPaused] = [false, false];
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
          cutOldest();
        },
        pause() {
          if (isOver || isPaused) return () => undefined;
          isPaused = true;
          leave(address);
          bodyBytes -= ownBytes;
          ownBytes = 0;
          return () => {
            if (isOver || !isPaused) return;
            isPaused = false;
            enter(address);
          };
        },
        end() {
          if (isOver) return;
          isOver = true;
          bodyBytes -= ownBytes;
          if (answer !== null) drop(answer);
          if (!isPaused) leave(address);
        },
      };
      return { request, refusal };
    },
    refused,
    open: () => open,
    /** Bytes of bodies that are being received or processed. */
    bodyBytes: () => bodyBytes,
    /** Bytes of unread answers. */
    answerBytes: () => answerBytes,
    /** Answers cut off because clients read them too slowly. */
    cutOff: () => cutOff,
  };
}

const tooManyOfAddress = refuse('rate_limited', 'This address has too many open requests. Wait for answers first.', {
  limit: 'requests:ip',
  retryAfterMs: RETRY_AFTER_MS,
});
const tooMany = refuse('unavailable', 'Too many requests are open. Try again soon.');
const tooMuch = refuse('unavailable', 'Too many bytes are being sent at once. Try again soon.');
