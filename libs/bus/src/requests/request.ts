// The gateway's side of requests: sends commands and reads to workers, and tries again until the deadline.
import { createInbox, type Msg, type MsgHdrs } from '@nats-io/transport-node';
import type { CommandMessage, ReadMessage, ReplyMessage } from '@taskgraph/wire/messages';
import type { Bus } from '../nats/connect.ts';
import { createJoiner, type JoinBudget, type Joiner, PART_BYTES } from '../nats/parts.ts';
import { commandSubject, partitionReadSubject, READ_SUBJECT } from '../nats/subjects.ts';
import { inSendingSpan } from '../nats/tracing.ts';
import { brokenAnswer, openReply, unavailable, whole, withoutCertainty, withoutOutcome } from './answers.ts';
import { createPending, type Pending } from './pending.ts';
import type { RawReply } from './raw-reply.ts';

const MAXIMUM_PENDING = 10_000;
// A stopped process stays subscribed and never answers; after this time another may have its partition.
const COMMAND_ATTEMPT_MS = 2_000;
const READ_ATTEMPT_MS = 10_000;
const FIRST_WAIT_MS = 25;
const LONGEST_WAIT_MS = 250;
/** How long a refusal waits for the answers to the other tries: workers that live answer each of them. */
const LONGEST_HELD_MS = 1_000;
/** How long past the deadline the last try waits for NATS to say that nobody got it, without which nobody could say that it was not done. */
const LAST_WORD_MS = 500;
const NO_RESPONDERS = 503;

/** Sends requests to workers. Neither function throws for what may be expected; refusals are values. */
export interface Requester {
  /**
   * Sends a command to the worker of its partition (0..63), with the same id at each try, until `message.deadline`. Then it is refused
   * with `unavailable`, and `details.outcome` says `not_done` if no worker can have had it, else `unknown`: half a second later where its last try is under
   * way by then. A worker's word of its own doing is not passed on: another one may hold the same command.
   */
  sendCommand(partition: number, message: CommandMessage): Promise<ReplyMessage>;
  /** The same, with the body left as it came where it changed no grant and no publication. */
  sendCommandRaw(partition: number, message: CommandMessage): Promise<ReplyMessage | RawReply>;
  /** Sends a read to any worker, until `message.deadline`; then it is refused with `unavailable`. */
  read(message: ReadMessage): Promise<ReplyMessage>;
  /**
   * The same, with the body left as it came where it is no refusal. The worker of a partition (0..63) that is given is asked first: a page that
   * it made before costs it little. Where nobody has it any other is asked.
   */
  readRaw(message: ReadMessage, partition?: number): Promise<ReplyMessage | RawReply>;
  /** Answers all that is pending with `unavailable`, and takes nothing more. */
  stop(): void;
}

interface Waiting {
  readonly replySubject: string;
  readonly joiner: Joiner;
  readonly pending: Pending;
}

/**
 * Makes a requester with one reply subscription for all its requests; at most 10,000 are pending at once. `commandsTo` gives the subject for
 * a partition: the one on which gateways speak for users, if nothing else is said.
 */
export function createRequester(bus: Bus, commandsTo: (partition: number) => string = commandSubject): Requester {
  const pendings = new Map<string, Waiting>();
  const budget: JoinBudget = { usedBytes: 0 };
  const inbox = createInbox(bus.inbox);
  let nextToken = 0;
  let stopped = false;

  const subscription = bus.connection.subscribe(`${inbox}.*`, {
    callback(error, message) {
      if (error) return bus.log.error({ error }, 'the reply subscription failed');
      const waiting = pendings.get(message.subject.slice(inbox.length + 1));
      if (waiting !== undefined) take(bus, waiting, message);
    },
  });
  const wakeAll = () => {
    for (const { pending } of pendings.values()) pending.wake();
  };
  // A request under way when the connection broke is never answered: the return of the connection is the moment to try again.
  const unlisten = bus.onConnection(wakeAll);

  async function exchange(
    subject: string,
    message: { deadline: number },
    { attemptMs, otherwise = subject, isCommand }: { attemptMs: number; otherwise?: string; isCommand: boolean },
  ): Promise<ReplyMessage | RawReply> {
    if (stopped || pendings.size >= MAXIMUM_PENDING) return unavailable('Too many requests are waiting.', 'not_done');
    // The clock may be set while the request is under way.
    const endsAt = performance.now() + message.deadline - Date.now();
    const pending = createPending(isCommand);
    const encode = () => {
      const times = { sentAt: Date.now(), clockZero: clockZero(), ...(isCommand ? { token: pending.token() } : {}) };
      return Buffer.from(JSON.stringify({ ...message, ...times }));
    };
    const encoded = encode();
    if (encoded.length > PART_BYTES) {
      return { ok: false, error: 'bad_request.too_large', message: `The request is longer than ${PART_BYTES} bytes.` };
    }
    const token = (nextToken++).toString(36);
    const waiting = { replySubject: `${inbox}.${token}`, joiner: createJoiner(budget), pending };
    pendings.set(token, waiting);
    try {
      const attempts = {
        subject,
        otherwise,
        encoded,
        encode,
        attemptMs,
        endsAt,
        stopped: () => stopped,
      };
      await inSendingSpan(subject, (headers) => tryUntil(bus, { ...attempts, headers }, waiting));
    } finally {
      pendings.delete(token);
      waiting.joiner.clear();
    }
    const reply = pending.reply();
    if (reply !== null) return withoutCertainty(reply);
    return unavailable('No worker answered in time.', pending.mayBeDone() ? 'unknown' : 'not_done');
  }

  const readRaw: Requester['readRaw'] = async (message, partition) => {
    const subject = partition === undefined ? READ_SUBJECT : partitionReadSubject(partition);
    return withoutOutcome(
      await exchange(subject, message, { attemptMs: READ_ATTEMPT_MS, otherwise: READ_SUBJECT, isCommand: false }),
    );
  };

  const sendCommandRaw: Requester['sendCommandRaw'] = async (partition, message) => {
    const reply = await exchange(commandsTo(partition), message, { attemptMs: COMMAND_ATTEMPT_MS, isCommand: true });
    return 'plain' in reply ? reply : whole(bus, reply);
  };

  return {
    sendCommand: async (partition, message) => whole(bus, await sendCommandRaw(partition, message)),
    sendCommandRaw,
    read: async (message) => whole(bus, await readRaw(message)),
    readRaw,
    stop() {
      stopped = true;
      unlisten();
      if (!subscription.isClosed()) subscription.unsubscribe();
      wakeAll();
    },
  };
}

interface Attempts {
  /** The first attempt goes here, all others go to `otherwise`. */
  subject: string;
  otherwise: string;
  /** The same as it is sent at once. */
  encoded: Uint8Array;
  /** The message as it is sent now. */
  encode(): Uint8Array;
  /** The headers that carry the trace; undefined where nothing is traced. */
  headers: MsgHdrs | undefined;
  attemptMs: number;
  /** The deadline, by performance.now(). */
  endsAt: number;
  stopped(): boolean;
}

/** Publishes again and again until there is a reply, the deadline is past, or the requester stops. */
async function tryUntil(bus: Bus, attempts: Attempts, { pending, replySubject }: Waiting): Promise<void> {
  let waitMs = FIRST_WAIT_MS;
  let encoded: Uint8Array | null = attempts.encoded;
  for (;;) {
    const leftMs = attempts.endsAt - performance.now();
    // Timers drop fractions: a last try with less than a millisecond left would have no time for an answer.
    if (pending.reply() !== null || attempts.stopped()) return;
    if (pending.isHeld()) return waitForOthers(attempts, pending);
    if (leftMs < 1) return waitForLast(bus, attempts, pending);
    if (!bus.connected()) {
      // Nothing is published during an outage: the client would keep it in memory, without a bound.
      encoded = null;
      await pending.pause(leftMs);
      continue;
    }
    const astrayBefore = pending.astray();
    const subject = pending.published() === 0 ? attempts.subject : attempts.otherwise;
    pending.publish();
    const { headers } = attempts;
    const options = { reply: replySubject, ...(headers === undefined ? {} : { headers }) };
    bus.publish(subject, encoded ?? attempts.encode(), options);
    encoded = null;
    await pending.pause(Math.min(attempts.attemptMs, leftMs));
    if (pending.reply() === null && pending.astray() > astrayBefore) {
      if (subject !== attempts.otherwise) continue;
      // The jitter keeps the gateways of a partition that changes hands from asking in step.
      await pending.pause(Math.min(waitMs * (0.5 + Math.random() / 2), attempts.endsAt - performance.now()));
      waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS);
    } else {
      waitMs = FIRST_WAIT_MS;
    }
  }
}

/** A refusal is there, and other tries are not answered yet. A try that is not answered in time may be done by whoever has it. */
async function waitForOthers({ endsAt, stopped }: Attempts, pending: Pending): Promise<void> {
  const untilMs = Math.min(performance.now() + LONGEST_HELD_MS, endsAt);
  for (;;) {
    const leftMs = untilMs - performance.now();
    if (!pending.isHeld() || leftMs < 1 || stopped()) return;
    await pending.pause(leftMs);
  }
}

/** The deadline is over, and a try that was published right before it may be on its way. While the connection is away no word of it comes. */
async function waitForLast(bus: Bus, { stopped }: Attempts, pending: Pending): Promise<void> {
  const untilMs = performance.now() + LAST_WORD_MS;
  for (;;) {
    const leftMs = untilMs - performance.now();
    if (!pending.isOpen() || leftMs < 1 || stopped() || !bus.connected()) return;
    await pending.pause(leftMs);
  }
}

/** The moment of our clock at which the monotonic one showed 0: it moves where the clock is set, and where the machine slept. */
function clockZero(): number {
  return Math.round(Date.now() - performance.now());
}

/** Takes a message that came for a pending request. */
function take(bus: Bus, { pending, joiner }: Waiting, message: Msg): void {
  if (message.headers?.code === NO_RESPONDERS && message.data.length === 0) {
    pending.bounce();
    return;
  }
  const joined = joiner.add(message);
  if (joined === null) return;
  if (joined === 'over') {
    bus.log.warn({ subject: message.subject }, 'the answers that are being joined are too long together');
    pending.hear(unavailable('Too many long answers are under way.', 'unknown'));
  } else {
    pending.hear(joined === 'broken' ? brokenAnswer(bus, 'impossible part headers') : openReply(bus, joined));
  }
}
