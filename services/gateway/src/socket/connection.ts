// One raw WebSocket from its upgrade to its end. All that Socket.IO's engine sends and subscribes
// goes through it, and nothing after its end: Socket.IO's own disconnects leave the raw socket open
// and in its topics. It is long, since it ends in many ways, which are best seen together. Rules:
// ACL7, AUTH2, PUB5, LIM4.
import { errorBodyOf, type Refusal, refuse } from '@taskgraph/wire/errors';
import type { RawSocket, Transport } from '../http/uws.ts';
import { traceIdOf } from '../trace.ts';
import { CLOSE_CODES, type Ending } from './ending.ts';
import { type Frame, frameOf } from './frame.ts';
import type { Holder } from './socket-quotas.ts';

/** Times that a connection may be turned away before it has to come anew. */
const MAXIMUM_TURNED_AWAY = 5;
const MINUTE_MS = 60_000;
/** Namespaces are echoed by Socket.IO; longer names are nobody's mistake. */
const LONGEST_NAMESPACE_BYTES = 100;

/** The parts of a gateway that its connections work with, and their bounds. */
export interface ConnectionGround {
  /** Refused calls in a minute past which one is closed. */
  readonly refusalsAMinute: number;
  /** Milliseconds that one has, once ended, to read what it was sent before; then it is cut off. */
  readonly readingOutMs: number;
  /**
   * Counts what is asked for beside calls: a namespace that is not there, or a frame that means
   * nothing.
   */
  readonly count: (connection: Connection, what: 'connect' | 'socket') => Promise<Refusal | null>;
  /** Called after bytes were kept for a client that is slow. */
  readonly onBackpressure: (connection: Connection) => void;
  readonly onEnd: (ending: Ending) => void;
  /** Called once, when the operating system has it no longer. */
  readonly onGone: (connection: Connection) => void;
  readonly onAccepted: (connection: Connection) => void;
}

/**
 * The engine and the adapter take it for the native socket, which throws once it is gone.
 *
 * It is a class, unlike most here, because a gateway holds tens of thousands: functions of its own
 * would cost each of them two kilobytes.
 */
export class Connection {
  readonly address: string;
  readonly #ground: ConnectionGround;
  #raw: RawSocket | null = null;
  #transport: Transport | null = null;
  #state: 'waiting' | 'connecting' | 'accepted' | 'ended' = 'waiting';
  #isGone = false;
  #user: string | null = null;
  #leave: ((holder: Holder) => void) | null = null;
  #cutting: NodeJS.Timeout | null = null;
  #turnedAway = 0;
  #held: string[] | null = null;
  #refusals: { count: number; readonly sinceMs: number } | null = null;
  #close: { readonly code: number; readonly reason: string } | null = null;

  constructor(address: string, ground: ConnectionGround) {
    this.address = address;
    this.#ground = ground;
  }

  /** The user's id; null for strangers and anonymous readers. */
  get user(): string | null {
    return this.#user;
  }

  /** Whether it has said who it is, and nobody has answered yet. */
  get isConnecting(): boolean {
    return this.#state === 'connecting';
  }

  bufferedBytes(): number {
    return this.#isGone || this.#raw === null ? 0 : this.#raw.bufferedBytes();
  }

  /** Takes the socket that it was upgraded to. */
  open(opened: RawSocket, engine: Transport): void {
    engine.socket = this;
    // Where it was too late already, nobody else would close it.
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
    if (this.#raw?.send(data, isBinary, compress) !== true) this.#ground.onBackpressure(this);
  }

  /**
   * Keeps the texts that are sent from now on until `release`. It may be in no topic meanwhile:
   * what is published would overtake them.
   */
  hold(): void {
    this.#held = [];
  }

  /** Sends in one write what was kept. */
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

  /** Whether Socket.IO shall see this frame. */
  receive(message: ArrayBuffer, isBinary: boolean): boolean {
    return this.#state !== 'ended' && this.#take(frameOf(message, isBinary), message.byteLength);
  }

  /** It has an audience now, and holds its places until it is gone. */
  accept(user: string | null, leave: (holder: Holder) => void): void {
    if (this.#state !== 'connecting') {
      leave({ ip: this.address, user });
      return;
    }
    this.#state = 'accepted';
    this.#user = user;
    this.#leave = leave;
    this.#ground.onAccepted(this);
  }

  /** Its CONNECT was refused; it may try again, a few times. */
  turnAway(refusal: Refusal): void {
    if (this.#state !== 'connecting') return;
    this.#state = 'waiting';
    this.#turnedAway++;
    if (this.#turnedAway >= MAXIMUM_TURNED_AWAY) this.end('refusals', refusal, true);
  }

  /**
   * Notes a call that was refused unseen: without an ack, past a limit, or past the calls in
   * flight.
   */
  noteRefusal(): void {
    const nowMs = performance.now();
    if (this.#refusals === null || nowMs - this.#refusals.sinceMs > MINUTE_MS) {
      this.#refusals = { count: 0, sinceMs: nowMs };
    }
    this.#refusals.count++;
    if (this.#refusals.count > this.#ground.refusalsAMinute) this.end('refusals', tooManyRefusals);
  }

  /** Counts a packet that Socket.IO could not read; it closes the connection itself. */
  noteBroken(): void {
    void this.#ground.count(this, 'socket');
  }

  /**
   * Ends it for good: nothing that is published later reaches it, and Socket.IO lets its sockets go
   * at once. The engine names no ending.
   */
  end(ending: Ending = 'server', refusal: Refusal | null = null, isTold = false): void {
    if (this.#state === 'ended') return;
    this.#raw?.unsubscribeAll();
    if (refusal !== null && !isTold) this.#tell(refusal);
    this.#state = 'ended';
    this.#ground.onEnd(ending);
    this.#close = { code: CLOSE_CODES[ending], reason: refusal?.code ?? '' };
    this.#transport?.onClose();
    if (this.#raw === null) {
      this.closed();
      return;
    }
    this.#cutting = setTimeout(() => this.#cut(), this.#ground.readingOutMs);
    this.#cutting.unref();
    this.drained();
  }

  /** Ends it without a word, and frees what is kept for it: there is no memory for more. */
  cutOff(ending: Ending): void {
    this.end(ending);
    this.#cut();
  }

  /**
   * All that was kept for it may have been read. The close frame waits for that: until then the
   * socket counts with what is kept for it.
   */
  drained(): void {
    if (this.#close === null || this.#isGone || this.#raw?.bufferedBytes() !== 0) return;
    this.#raw.end(this.#close.code, this.#close.reason);
  }

  /** The operating system has it no longer. */
  closed(): void {
    if (this.#isGone) return;
    this.#isGone = true;
    this.#state = 'ended';
    if (this.#cutting !== null) clearTimeout(this.#cutting);
    this.#leave?.({ ip: this.address, user: this.#user });
    this.#ground.onGone(this);
  }

  #cut(): void {
    if (!this.#isGone) this.#raw?.close();
  }

  #tell(refusal: Refusal): void {
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
    void this.#ground.count(this, isAccepted ? 'socket' : 'connect');
    this.end('broken', frame === 'binary' ? binaryFrame : brokenFrame);
    return false;
  }

  #countElsewhere(): void {
    this.noteRefusal();
    this.#ground.count(this, 'connect').then((refusal) => {
      if (refusal !== null) this.end('refusals', refusal);
    });
  }
}

/** Socket.IO tells a client an error's `message` and `data`. */
function connectError(body: { error: string }): object {
  return { message: body.error, data: body };
}

const brokenFrame = refuse('bad_request.invalid_packet', 'This packet is not valid here.');
const binaryFrame = refuse('bad_request.invalid_packet', 'No call takes binary data: send it as text in JSON.');
const tooManyRefusals = refuse('rate_limited', 'Too many calls of this connection were refused. Wait, then connect.', {
  ...{ limit: 'socket:refused', retryAfterMs: MINUTE_MS },
});

/**
 * The raw connection that a socket of Socket.IO goes over: its engine works with it in place of the
 * native socket.
 */
export function connectionOf(socket: { readonly conn: { readonly transport: unknown } }): Connection {
  return (socket.conn.transport as { readonly socket: Connection }).socket;
}
