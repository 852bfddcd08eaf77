// One raw WebSocket from its upgrade to its end. All that Socket.IO's engine sends and subscribes goes through it, and nothing after its end:
// Socket.IO's own disconnects leave the raw socket open and in its topics. Rules: ACL7, AUTH2, PUB5, LIM4.
import { errorBodyOf, type Refusal, refuse } from '@taskgraph/wire/errors';
import { BOUNDS } from '@taskgraph/wire/fields';
import type { RawSocket, Transport } from '../http/uws.ts';
import { traceIdOf } from '../trace.ts';
import { type Frame, frameOf } from './frame.ts';

/** Why this side ends a connection; `client` and `server` are honest ends, the others have a bound or a broken rule behind them. */
export const ENDINGS = ['client', 'server', 'slow', 'crowded', 'late', 'unanswered', 'broken', 'refusals'] as const;
export type Ending = (typeof ENDINGS)[number];

/** The code of an end that is nobody's wish, after the words of RFC 6455: 1008 breaks a rule, 1013 may try again. */
const CLOSE_CODES: Record<Ending, number> = {
  ...{ client: 1000, server: 1000, slow: 1013, crowded: 1013, unanswered: 1013 },
  ...{ late: 1008, broken: 1008, refusals: 1008 },
};

/** Times that a connection may be turned away before it has to come anew. */
const MAXIMUM_TURNED_AWAY = 5;
const MINUTE_MS = 60_000;
/** Namespaces are echoed by Socket.IO; longer names are nobody's mistake. */
const LONGEST_NAMESPACE_BYTES = 100;

interface Options {
  readonly address: string;
  /** Refused calls in a minute past which it is closed. */
  readonly refusalsAMinute: number;
  /** Milliseconds that it has, once ended, to read what it was sent before; then it is cut off. */
  readonly readingOutMs: number;
  /** Counts what is asked for beside calls: a namespace that is not there, or a frame that means nothing. */
  readonly count: (connection: Connection, what: 'connect' | 'socket') => Promise<Refusal | null>;
  /** Called after bytes were kept for a client that is slow. */
  readonly onBackpressure: (connection: Connection) => void;
  readonly onEnd: (ending: Ending) => void;
  /** Called once, when the operating system has it no longer. */
  readonly onGone: (connection: Connection) => void;
  readonly onAccepted: (connection: Connection) => void;
}

export type Connection = ReturnType<typeof createConnection>;

export function createConnection(options: Options) {
  let raw: RawSocket | null = null;
  let transport: Transport | null = null;
  let state: 'waiting' | 'connecting' | 'accepted' | 'ended' = 'waiting';
  let isGone = false;
  let user: string | null = null;
  let release: () => void = () => undefined;
  let cutting: NodeJS.Timeout | undefined;
  let turnedAway = 0;
  let attachedBytes = 0;
  let refusals = { count: 0, sinceMs: 0 };
  let close = { code: 1000, reason: '' };

  function tell(refusal: Refusal): void {
    const body = errorBodyOf(refusal, traceIdOf(undefined));
    const text =
      state === 'accepted' ? `42${JSON.stringify(['closing', body])}` : `44${JSON.stringify(connectError(body))}`;
    raw?.send(text, false);
  }

  /** Ends it for good: nothing that is published later reaches it, and Socket.IO lets its sockets go at once. */
  function end(ending: Ending, refusal: Refusal | null = null, isTold = false): void {
    if (state === 'ended') return;
    raw?.unsubscribeAll();
    if (refusal !== null && !isTold) tell(refusal);
    state = 'ended';
    options.onEnd(ending);
    close = { code: CLOSE_CODES[ending], reason: refusal?.code ?? '' };
    transport?.onClose();
    if (raw === null) {
      gone();
      return;
    }
    cutting = setTimeout(cut, options.readingOutMs);
    cutting.unref();
    endWhenRead();
  }

  /** The close frame waits until all before it was read: until then the socket counts with what is kept for it. */
  function endWhenRead(): void {
    if (state === 'ended' && !isGone && raw?.bufferedBytes() === 0) raw.end(close.code, close.reason);
  }

  function cut(): void {
    if (!isGone) raw?.close();
  }

  function gone(): void {
    if (isGone) return;
    isGone = true;
    state = 'ended';
    clearTimeout(cutting);
    release();
    options.onGone(connection);
  }

  function breakOff(): void {
    const what = state === 'accepted' ? 'socket' : 'connect';
    void options.count(connection, what);
    end('broken', brokenFrame);
  }

  function take(frame: Frame, bytes: number): boolean {
    if (frame !== 'attachment') attachedBytes = 0;
    if (frame === 'pong') return true;
    if (frame === 'close') {
      end('client');
      return false;
    }
    if (frame === 'elsewhere' && bytes <= LONGEST_NAMESPACE_BYTES) {
      countElsewhere();
      return true;
    }
    if (frame === 'connect' && state === 'waiting') {
      state = 'connecting';
      return true;
    }
    if (state === 'accepted' && (frame === 'call' || frame === 'leave')) return true;
    if (state === 'accepted' && frame === 'attachment') {
      attachedBytes += bytes;
      if (attachedBytes <= BOUNDS.bodyBytes) return true;
    }
    breakOff();
    return false;
  }

  function countElsewhere(): void {
    noteRefusal();
    options.count(connection, 'connect').then((refusal) => {
      if (refusal !== null) end('refusals', refusal);
    });
  }

  /** Notes a call that was refused unseen: without an ack, past a limit, or past the calls in flight. */
  function noteRefusal(): void {
    const nowMs = performance.now();
    if (nowMs - refusals.sinceMs > MINUTE_MS) refusals = { count: 0, sinceMs: nowMs };
    refusals.count++;
    if (refusals.count > options.refusalsAMinute) end('refusals', tooManyRefusals);
  }

  const connection = {
    address: options.address,
    /** The user's id; null for strangers and anonymous readers. */
    user: () => user,
    /** Whether it has said who it is, and nobody has answered yet. */
    isConnecting: () => state === 'connecting',
    isAccepted: () => state === 'accepted',
    isEnded: () => state === 'ended',
    bufferedBytes: () => (isGone || raw === null ? 0 : raw.bufferedBytes()),
    end,
    /** Ends it without a word, and frees what is kept for it: there is no memory for more. */
    cutOff(ending: Ending): void {
      end(ending);
      cut();
    },
    /** Takes the socket that it was upgraded to. */
    open(opened: RawSocket, engine: Transport): void {
      engine.socket = guarded;
      // Where it was too late already, nobody else would close it.
      if (state === 'ended') {
        opened.close();
        return;
      }
      raw = opened;
      transport = engine;
    },
    /** Whether Socket.IO shall see this frame. */
    receive(message: ArrayBuffer, isBinary: boolean): boolean {
      return state !== 'ended' && take(frameOf(message, isBinary), message.byteLength);
    },
    drained: endWhenRead,
    closed: gone,
    /** It has an audience now, and holds its places until it is gone. */
    accept(id: string | null, leave: () => void): void {
      if (state !== 'connecting') {
        leave();
        return;
      }
      state = 'accepted';
      user = id;
      release = leave;
      options.onAccepted(connection);
    },
    /** Its CONNECT was refused; it may try again, a few times. */
    turnAway(refusal: Refusal): void {
      if (state !== 'connecting') return;
      state = 'waiting';
      turnedAway++;
      if (turnedAway >= MAXIMUM_TURNED_AWAY) end('refusals', refusal, true);
    },
    noteRefusal,
    /** Counts a packet that Socket.IO could not read; it closes the connection itself. */
    noteBroken: () => void options.count(connection, 'socket'),
  };

  /** The object that the engine and the adapter take for the native socket: the native one throws once it is gone. */
  const guarded = {
    connection,
    send(data: string | ArrayBuffer | Uint8Array, isBinary: boolean, compress?: boolean): void {
      if (state === 'ended') return;
      if (raw?.send(data, isBinary, compress) === true) return;
      options.onBackpressure(connection);
    },
    end: () => end('server'),
    subscribe(topic: string): void {
      if (state !== 'ended') raw?.subscribe(topic);
    },
    unsubscribe(topic: string): void {
      if (state !== 'ended') raw?.unsubscribe(topic);
    },
  };
  return connection;
}

/** Socket.IO tells a client an error's `message` and `data`. */
function connectError(body: { error: string }): object {
  return { message: body.error, data: body };
}

const brokenFrame = refuse('bad_request.invalid_packet', 'That is no packet that a client sends here now.');
const tooManyRefusals = refuse('rate_limited', 'Too many calls of this connection were refused. Wait, then connect.', {
  ...{ limit: 'socket:refused', retryAfterMs: MINUTE_MS },
});

/** The raw connection that a socket of Socket.IO goes over: its engine works with it in place of the native socket. */
export function connectionOf(socket: { readonly conn: { readonly transport: unknown } }): Connection {
  return (socket.conn.transport as { readonly socket: { readonly connection: Connection } }).socket.connection;
}
