// One HTTP request and its answer. A uWebSockets response must not be used after its client has
// gone; the exchange tracks that.
import { STATUS_CODES } from 'node:http';
import { byteLengthOf } from '@taskgraph/wire/bytes';
import { type CallAnswer, contentOf, type Headers, RETRY_SOON } from './answer.ts';
import type { OpenRequest } from './open-requests.ts';
import type { Request, Response } from './uws.ts';

/**
 * A copy of the used parts of a request, which itself is invalid after the handler's first await.
 */
export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  /** The address of the connection's other end: a client or a proxy. */
  readonly remoteAddress: string;
  /** Empty if the header is missing. */
  header(lowerCaseName: HeaderName): string;
  /**
   * Whether the idempotency key is present but empty. Its sender relies on it, so it is an error.
   */
  readonly hasEmptyKey: boolean;
}

/** The headers that the gateway reads; no other is copied. */
export const HEADERS = [
  'accept',
  'accept-encoding',
  'authorization',
  'content-length',
  'content-type',
  'cookie',
  'host',
  'idempotency-key',
  'if-none-match',
  'mcp-protocol-version',
  'origin',
  'sec-fetch-site',
  'traceparent',
  'x-forwarded-for',
] as const;
type HeaderName = (typeof HEADERS)[number];

/** Copies a request. A missing header is an empty text. */
export function copyRequest(request: Request, response: Pick<Response, 'getRemoteAddressAsText'>): ReceivedRequest {
  const headers = new Map<HeaderName, string>();
  for (const name of HEADERS) {
    const value = request.getHeader(name);
    if (value !== '') headers.set(name, value);
  }
  if (headers.has('x-forwarded-for')) headers.set('x-forwarded-for', allOf(request, 'x-forwarded-for'));
  const method = request.getMethod().toUpperCase();
  const mayHaveKey = method !== 'GET' && method !== 'HEAD' && !headers.has('idempotency-key');
  return {
    method,
    path: request.getUrl(),
    query: request.getQuery() ?? '',
    remoteAddress: Buffer.from(response.getRemoteAddressAsText()).toString(),
    header: (name) => headers.get(name) ?? '',
    // `getHeader` returns the same for an empty header and a missing one.
    hasEmptyKey: mayHaveKey && has(request, 'idempotency-key'),
  };
}

function has(request: Request, name: HeaderName): boolean {
  let found = false;
  request.forEach((each) => {
    found ||= each === name;
  });
  return found;
}

/**
 * Proxies may add another header instead of extending the present one; together they are one list.
 */
function allOf(request: Request, name: HeaderName): string {
  const values: string[] = [];
  request.forEach((each, value) => {
    if (each === name) values.push(value);
  });
  return values.join(', ');
}

/**
 * Sends one answer, as JSON or as a page; does nothing if the client has gone or has its answer.
 */
export interface Exchange {
  send(answer: CallAnswer, headers: Headers): void;
  /** Sends 200 with headers and an empty body. */
  sendHead(headers: Headers): void;
  /** Whether the client still waits for the answer. */
  isOpen(): boolean;
  /** Whether the client has disconnected before its answer. */
  isGone(): boolean;
  /** Calls the listener when the client disconnects before its answer; the last listener counts. */
  onGone(listener: () => void): void;
}

interface ExchangeOptions {
  /** The open request; it ends with the answer's last byte, or when the client disconnects. */
  request: Pick<OpenRequest, 'keepAnswer' | 'end'>;
  /** A HEAD request gets the headers alone. */
  method: string;
  /** Whether the connection ends with the answer; called when the answer is sent. */
  isLast: () => boolean;
  /** Whether the request came through a proxy. */
  isProxied: boolean;
}

/**
 * uWebSockets closes connections that are idle for 8 to 12 s, which is not configurable. Proxies
 * reuse idle connections for a minute and may send a POST on a closing one. They must not repeat
 * it, and answer 502. So an answer to a proxy ends the connection, and an answer to any other
 * client says how long the connection may be reused.
 */
const PROXIED = { Connection: 'close' };
const DIRECT = { 'Keep-Alive': 'timeout=7' };

export function openExchange(response: Response, { request, method, isLast, isProxied }: ExchangeOptions): Exchange {
  let open = true;
  let isGone = false;
  let whenGone = () => undefined as unknown;
  // uWebSockets itself adds the header to a last answer.
  const connectionHeaders = () => (isLast() ? {} : isProxied ? PROXIED : DIRECT);
  response.onAborted(() => {
    isGone ||= open;
    open = false;
    end();
    if (isGone) whenGone();
  });
  let stopWatching: () => void = () => undefined;
  let isOver = false;
  const end = () => {
    isOver = true;
    stopWatching();
    request.end();
  };
  const finish = (write: () => void) => {
    if (!open) return;
    open = false;
    response.cork(write);
  };
  return {
    isOpen: () => open,
    send(answer, headers) {
      const { status, page, file, guard, headers: own = {} } = answer;
      finish(() => {
        const type =
          file !== undefined ? { 'Content-Type': file.type } : page === undefined ? JSON_HEADERS : PAGE_HEADERS;
        // The answer's own headers win: a page has a policy of its own.
        writeHead(response, status, {
          ...type,
          ...(status === 503 ? RETRY_SOON : {}),
          ...headers,
          ...own,
          ...connectionHeaders(),
        });
        const pieces = answer.content ?? contentOf(answer);
        if (method === 'HEAD') response.endWithoutBody(byteLengthOf(pieces), isLast());
        // The client has the body already, or there is none.
        else if (status === NOT_MODIFIED || byteLengthOf(pieces) === 0) response.end('', isLast());
        // `tryEnd` cannot close the connection, and a closing one gets no further request.
        else if (isLast()) response.end(Buffer.concat(pieces), true);
        else {
          const isSent = sendAsRead(response, pieces, { keepAnswer: request.keepAnswer, end });
          // The client may read for minutes, and its token may end before (AUTH2).
          if (!isSent && !isOver && guard !== undefined) stopWatching = guard.watch(() => response.close());
          return;
        }
        end();
      });
    },
    sendHead(headers) {
      finish(() => {
        writeHead(response, 200, { ...headers, ...connectionHeaders() });
        // `endWithoutBody` without a length would announce one of 2^63.
        response.end('', isLast());
        end();
      });
    },
    isGone: () => isGone,
    onGone(listener) {
      whenGone = listener;
    },
  };
}

const NOT_MODIFIED = 304;

/**
 * Sends as much as the client reads and keeps the rest here, where it is counted. `end` would
 * buffer it in the native code, without a bound, for as long as a client reads a byte now and then,
 * and would accept more requests meanwhile. Returns whether the answer is sent.
 */
function sendAsRead(response: Response, pieces: readonly Uint8Array[], request: ExchangeOptions['request']): boolean {
  const length = byteLengthOf(pieces);
  const [, isSent] = sendFrom(response, pieces, 0, length);
  if (isSent) {
    request.end();
    return true;
  }
  response.onWritable((offset) => {
    const [isTaken, isDone] = sendFrom(response, pieces, offset, length);
    if (isDone) request.end();
    return isTaken;
  });
  request.keepAnswer(length, () => response.close());
  return false;
}

/** Sends the pieces from an offset on, until the client reads no more or has everything. */
function sendFrom(
  response: Response,
  pieces: readonly Uint8Array[],
  offset: number,
  length: number,
): [isTaken: boolean, isDone: boolean] {
  let start = 0;
  let sent: [isTaken: boolean, isDone: boolean] = [true, false];
  for (const piece of pieces) {
    const end = start + piece.length;
    if (offset < end) {
      sent = response.tryEnd(piece.subarray(Math.max(0, offset - start)), length);
      if (!sent[0]) return sent;
    }
    start = end;
  }
  return sent;
}

const JSON_HEADERS = { 'Content-Type': 'application/json; charset=utf-8' };
const PAGE_HEADERS = { 'Content-Type': 'text/html; charset=utf-8' };

function writeHead(response: Response, status: number, headers: Headers): void {
  response.writeStatus(`${status} ${STATUS_CODES[status] ?? ''}`);
  for (const [name, value] of Object.entries(headers)) {
    for (const line of typeof value === 'string' ? [value] : value) response.writeHeader(name, line);
  }
}
