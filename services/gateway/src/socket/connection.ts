// One raw WebSocket from its upgrade to its end. Socket.IO's engine sends and subscribes through
// it, and nothing passes after its end: Socket.IO's own disconnects leave the raw socket open and
// in its topics. The file is long, since its many endings belong together. Rules: ACL7, AUTH2,
// PUB5, LIM4.
import { errorBodyOf, type Refusal, refuse } from '@taskgraph/wire/errors';
import type { RawSocket, Transport } from '../http/uws.ts';
import { traceIdOf } from '../trace.ts';
import type { QuotaHolder } from './connection-quotas.ts';
import { CLOSE_CODES, type EndReason } from './end-reason.ts';
import { type Frame, frameOf } from './frame.ts';

/** Refused CONNECTs after which the connection is closed. */
const MAXIMUM_TURNED_AWAY = 5;
const MINUTE_MS = 60_000;
/** Socket.IO echoes a namespace, so longer names are refused. */
const LONGEST_NAMESPACE_BYTES = 100;

/** The parts of the gateway that its connections share, and their bounds. */
export interface ConnectionDependencies {
  /** Rejected calls in a minute, past which the connection is closed. */
  readonly refusalsAMinute: number;
  /** Milliseconds that an ended connection has to read its buffer; then it is cut off. */
  readonly readingOutMs: number;
  /** Counts requests other than calls: unknown namespaces and invalid frames. */
  readonly count: (connection: Connection, limit: 'connect' | 'socket') => Promise<Refusal | null>;
  /** Called after a message was buffered for a slow client. */
  readonly onBackpressure: (connection: Connection) => void;
  readonly onEnd: (ending: EndReason) => void;
  /** Called once, when the operating system has closed it. */
  readonly onGone: (connection: Connection) => void;
  readonly onAccepted: (connection: Connection) => void;
}

/**
 * Stands in for the native socket, which throws after its end. A class, because a gateway holds
 * tens of thousands: functions of its own would cost each two kilobytes.
 */
export class Connection {
  readonly address: string;
  readonly #dependencies: ConnectionDependencies;
  #raw: RawSocket | null = null;
  #transport: Transport | null = null;
  #state: 'waiting' | 'connecting' | 'accepted' | 'ended' = 'waiting';
  #isGone = false;
  #user: string | null = null;
  #leave: ((holder: QuotaHolder) => void) | null = null;
  #cutting: NodeJS.Timeout | null = null;
  #turnedAway = 0;
  #held: string[] | null = null;
  #refusals: { count: number; readonly sinceMs: number } | null = null;
  #close: { readonly code: number; readonly reason: string } | null = null;

  constructor(address: string, dependencies: ConnectionDependencies) {
    this.address = address;
    this.#dependencies = dependencies;
  }

  /** The user's id; null before admission and for anonymous readers. */
  get user(): string | null {
    return this.#user;
  }

  /** Whether nothing more is sent to the client. */
  get isEnded(): boolean {
    return this.#state === 'ended';
  }

  /** Whether its CONNECT waits for an answer. */
  get isConnecting(): boolean {
    return this.#state === 'connecting';
  }

  bufferedBytes(): number {
    return this.#isGone || this.#raw === null ? 0 : this.#raw.bufferedBytes();
  }

  /** Receives the upgraded socket. */
  open(opened: RawSocket, engine: Transport): void {
    engine.socket = this;
    // If the connection has ended meanwhile, nothing else would close the socket.
    if (this.#state === 'ended') {
      opened.close();
      return;
    }
    this.#raw = opened;
    this.#transport = engine;
  }

  send(data: string | ArrayBuffer | Uint8Array, isBinary: boolean, compress?: boolean): void {
    if (this.#state === 'ended') return;
    if (this.#held !== null && typeof data === 'string') {
      this.#held.push(data);
      return;
    }
    if (this.#raw?.send(data, isBinary, compress) !== true) this.#dependencies.onBackpressure(this);
  }

  /**
   * Holds messages until `release`. It must be in no topic meanwhile: publications would overtake
   * them.
   */
  hold(): void {
    this.#held = [];
  }

  /** Sends the held messages in one write. */
  release(): void {
    const held = this.#held;
    this.#held = null;
    if (held !== null) this.#raw?.cork(() => held.forEach((text) => void this.send(text, false)));
  }

  subscribe(topic: string): void {
    if (this.#state !== 'ended') this.#raw?.subscribe(topic);
  }

  unsubscribe(topic: string): void {
    if (this.#state !== 'ended') this.#raw?.unsubscribe(topic);
  }

  /** Returns whether Socket.IO may process the frame. */
  receive(message: ArrayBuffer, isBinary: boolean): boolean {
    return this.#state !== 'ended' && this.#take(frameOf(message, isBinary), message.byteLength);
  }

  /** Admits the connection, which holds its quotas until it is closed. */
  accept(user: string | null, leave: (holder: QuotaHolder) => void): void {
    if (this.#state !== 'connecting') {
      leave({ ip: this.address, user });
      return;
    }
    this.#state = 'accepted';
    this.#user = user;
    this.#leave = leave;
    this.#dependencies.onAccepted(this);
  }

  /** Refuses a CONNECT; the client may retry a few times. */
  turnAway(refusal: Refusal): void {
    if (this.#state !== 'connecting') return;
    this.#state = 'waiting';
    this.#turnedAway++;
    if (this.#turnedAway >= MAXIMUM_TURNED_AWAY) this.end('refusals', refusal, true);
  }

  /**
   * Counts a call rejected before parsing: without an ack, past a limit, or past the calls in
   * progress.
   */
  noteRefusal(): void {
    const nowMs = performance.now();
    if (this.#refusals === null || nowMs - this.#refusals.sinceMs > MINUTE_MS) {
      this.#refusals = { count: 0, sinceMs: nowMs };
    }
    this.#refusals.count++;
    if (this.#refusals.count > this.#dependencies.refusalsAMinute) this.end('refusals', tooManyRefusals);
  }

  /** Counts a packet that Socket.IO could not parse; Socket.IO closes the connection itself. */
  noteBroken(): void {
    void this.#dependencies.count(this, 'socket');
  }

  /**
   * Ends the connection: no later publication reaches it, and Socket.IO disconnects its sockets at
   * once. The engine calls it without a reason.
   */
  end(ending: EndReason = 'server', refusal: Refusal | null = null, isRefusalSent = false): void {
    if (this.#state === 'ended') return;
    this.#raw?.unsubscribeAll();
    if (refusal !== null && !isRefusalSent) this.#sendRefusal(refusal);
    this.#state = 'ended';
    this.#dependencies.onEnd(ending);
    this.#close = { code: CLOSE_CODES[ending], reason: refusal?.code ?? '' };
    this.#transport?.onClose();
    if (this.#raw === null) {
      this.closed();
      return;
    }
    this.#cutting = setTimeout(() => this.#cut(), this.#dependencies.readingOutMs);
    this.#cutting.unref();
    this.drained();
  }

  /** Ends the connection without a message and frees its buffer, when memory is short. */
  cutOff(ending: EndReason): void {
    this.end(ending);
    this.#cut();
  }

  /**
   * Called when the buffer has shrunk. The close frame waits until it is empty, so that the socket
   * counts with its buffer until then.
   */
  drained(): void {
    if (this.#close === null || this.#isGone || this.#raw?.bufferedBytes() !== 0) return;
    this.#raw.end(this.#close.code, this.#close.reason);
  }

  /** The operating system has closed the connection. */
  closed(): void {
    if (this.#isGone) return;
    this.#isGone = true;
    this.#state = 'ended';
    if (this.#cutting !== null) clearTimeout(this.#cutting);
    this.#leave?.({ ip: this.address, user: this.#user });
    this.#dependencies.onGone(this);
  }

  #cut(): void {
    if (!this.#isGone) this.#raw?.close();
  }

  #sendRefusal(refusal: Refusal): void {
    const body = errorBodyOf(refusal, traceIdOf(undefined));
    const isAccepted = this.#state === 'accepted';
    const text = isAccepted ? `42${JSON.stringify(['closing', body])}` : `44${JSON.stringify(connectError(body))}`;
    this.#raw?.send(text, false);
  }

  #take(frame: Frame, bytes: number): boolean {
    const isAccepted = this.#state === 'accepted';
    if (frame === 'pong') return true;
    if (frame === 'close') {
      this.end('client');
      return false;
    }
    if (frame === 'elsewhere' && bytes <= LONGEST_NAMESPACE_BYTES) {
      this.#countElsewhere();
      return true;
    }
    if (frame === 'connect' && this.#state === 'waiting') {
      this.#state = 'connecting';
      return true;
    }
    if (isAccepted && (frame === 'call' || frame === 'leave')) return true;
    void this.#dependencies.count(this, isAccepted ? 'socket' : 'connect');
    this.end('broken', frame === 'binary' ? binaryFrame : brokenFrame);
    return false;
  }

  #countElsewhere(): void {
    this.noteRefusal();
    this.#dependencies.count(this, 'connect').then((refusal) => {
      if (refusal !== null) this.end('refusals', refusal);
    });
  }
}

/** Socket.IO sends an error's `message` and `data` to the client. */
function connectError(body: { error: string }): object {
  return { message: body.error, data: body };
}

const brokenFrame = refuse('bad_request.invalid_packet', 'This packet is not valid here.');
const binaryFrame = refuse('bad_request.invalid_packet', 'No call takes binary data: send it as text in JSON.');
const tooManyRefusals = refuse('rate_limited', 'Too many calls of this connection were refused. Wait, then connect.', {
  limit: 'socket:refused',
  retryAfterMs: MINUTE_MS,
});

/** The raw connection of a Socket.IO socket: its engine uses it as the native socket. */
export function connectionOf(socket: { readonly conn: { readonly transport: unknown } }): Connection {
  return (socket.conn.transport as { readonly socket: Connection }).socket;
}
