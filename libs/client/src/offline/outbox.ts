// Commands that wait for the service, in the order of their making: each is sent under its key until it is answered, one after the other, and
// kept in the storage until then. Each belongs to the reader who queued it: the commands of other readers stay in the storage, unsent and not
// shown, until their reader is back. Rule: GEN8.
import type { Calls, EventName } from '../calls.ts';
import { clientError, TaskgraphError } from '../error.ts';
import { askedWaitMs } from '../patience.ts';
import { isSameReader, type Reader } from '../reader.ts';
import { isPassing, retryWaitMs } from '../retry.ts';
import type { ReplicaStorage } from '../storage/storage.ts';
import { withIds } from './provisional-ids.ts';

/** A command in the queue; times are milliseconds since 1970. */
export interface Command {
  readonly key: string;
  readonly event: EventName;
  payload: Readonly<Record<string, unknown>>;
  /** When it was sent first; null while it certainly was not. */
  sentAt: number | null;
  /** The reader who queued it; missing where an earlier release stored it. */
  owner?: Reader;
}

interface OutboxParts {
  readonly send: (command: Command) => Promise<Record<string, unknown>>;
  readonly storage: ReplicaStorage;
  readonly maximum: number;
  readonly reader: () => Reader;
  readonly isConnected: () => boolean;
  /** Told of a command before it is sent, also of one that was found in the storage. */
  readonly queued: (command: Command) => void;
  /** Told of an answer; gives the real ids of provisional ones, which later commands name. */
  readonly done: (command: Command, answer: Record<string, unknown>) => Readonly<Record<string, string>>;
  readonly refused: (command: Command, error: TaskgraphError) => void;
  readonly failed: (error: unknown) => void;
  readonly now?: () => number;
}

export interface Outbox {
  /** Queues a command; resolves with its answer, which may take until there is a connection. Rejects with a TaskgraphError. */
  add<E extends EventName>(event: E, payload: Calls[E]['payload'], key: string): Promise<Calls[E]['answer']>;
  /** Takes in what earlier runs left: the reader's own commands wait again, those of other readers stay where they are. */
  restore(entries: ReadonlyMap<string, unknown>): void;
  /** Looks again which commands are the reader's, who may be known better now. */
  recognise(): void;
  /** Goes on with what waits. */
  wake(): void;
  size(): number;
  stop(): void;
}

const COMMAND_PREFIX = 'command/';
/** The service keeps answers for at least 24 hours: later than this, sending again might do it twice. */
const SAFE_TO_REPEAT_MS = 23 * 3_600_000;

interface Queued {
  readonly command: Command;
  readonly place: string;
  settle: { resolve: (answer: never) => void; reject: (error: unknown) => void } | null;
  /** How often the service failed at it. */
  faults: number;
}

/** Refusals that say nothing of the command itself: it waits until they pass. */
const WAITED_OUT = new Set([
  'unauthorized',
  'client.timeout',
  'client.closed',
  'client.too_many_calls',
  'rate_limited',
]);
/** A command at which the service fails as often as this is given up, or it would keep all others waiting. */
const MAXIMUM_FAULTS = 5;
/** Provisional ids that are remembered after their command is done, for callers who still name them. */
const MAXIMUM_IDS = 10_000;
/** A storage holds the commands of all its readers: together at most so many times as many as of one. */
const MAXIMUM_READERS = 10;

export function createOutbox(parts: OutboxParts): Outbox {
  const { storage, now = Date.now } = parts;
  let queue: Queued[] = [];
  /** Commands of other readers. */
  let others: Queued[] = [];
  let othersTold = 0;
  const ids = new Map<string, string>();
  let count = 0;
  let isRunning = false;
  let isStopped = false;
  let attempts = 0;
  let timer: ReturnType<typeof setTimeout> | null = null;

  const store = (place: string, command: Command | undefined) => storage.write(new Map([[place, command]]));
  const placeOf = (number: number) => `${COMMAND_PREFIX}${String(number).padStart(12, '0')}`;

  async function run(): Promise<void> {
    if (isRunning) return;
    isRunning = true;
    try {
      while (queue[0] !== undefined && !isStopped && parts.isConnected() && timer === null) await sendFirst(queue[0]);
    } finally {
      isRunning = false;
    }
  }

  async function sendFirst(first: Queued): Promise<void> {
    const { command, place } = first;
    try {
      const isLate = command.sentAt !== null && now() - command.sentAt > SAFE_TO_REPEAT_MS;
      if (isLate)
        throw clientError('client.outcome_unknown', 'It was sent a day ago, and nobody knows whether it was done.');
      const payload = named(command.payload);
      // Before it is sent: after a crash nobody would know that it may have been done.
      if (command.sentAt === null) await store(place, { ...command, sentAt: now() });
      command.sentAt ??= now();
      const answer = await parts.send({ ...command, payload });
      attempts = 0;
      await leave(first, parts.done(command, answer));
      first.settle?.resolve(answer as never);
    } catch (error) {
      if (isStopped) return;
      if (mayPass(error, first)) return waitFor(error);
      attempts = 0;
      await leave(first, {});
      parts.refused(command, error as TaskgraphError);
      first.settle?.reject(error);
    }
  }

  /** Takes a command out of the queue. Those that name what it made get the real ids in the same write: it is not there to tell them later. */
  async function leave(first: Queued, made: Readonly<Record<string, string>>): Promise<void> {
    if (queue[0] === first) queue.shift();
    const changes = new Map<string, unknown>([[first.place, undefined]]);
    const isNaming = Object.keys(made).length > 0;
    for (const [provisional, id] of Object.entries(made)) ids.set(provisional, id);
    for (const { command, place } of isNaming ? queue : []) {
      const payload = withIds(command.payload, (provisional) => made[provisional] ?? provisional);
      if (payload === command.payload) continue;
      command.payload = payload;
      changes.set(place, command);
    }
    for (const provisional of ids.keys()) if (ids.size > MAXIMUM_IDS) ids.delete(provisional);
    await storage.write(changes).catch(parts.failed);
  }

  /** Where a storage fails, too: a command that is not kept must not be sent, or a crash might have it sent twice. */
  function mayPass(error: unknown, first: Queued): boolean {
    if (!(error instanceof TaskgraphError) || isPassing(error.code) || WAITED_OUT.has(error.code)) return true;
    return error.code.startsWith('internal') && ++first.faults < MAXIMUM_FAULTS;
  }

  function waitFor(error: unknown): void {
    if (!(error instanceof TaskgraphError)) parts.failed(error);
    const waitMs = askedWaitMs(error) ?? retryWaitMs(++attempts);
    timer = setTimeout(() => {
      timer = null;
      void run();
    }, waitMs);
  }

  /** Provisional ids are replaced by the real ones; one of a command that was refused stands for nothing. */
  function named(payload: Command['payload']): Command['payload'] {
    return withIds(payload, (provisional) => {
      const id = ids.get(provisional);
      if (id !== undefined) return id;
      throw clientError('client.depends_on_refused', 'It names something whose making was refused.');
    });
  }

  const isOwn = ({ command }: Queued) => isSameReader(command.owner, parts.reader());

  /** A command of a reader whose user was not known yet is that user's from now on, also under another token. */
  function bind(command: Command): boolean {
    const { owner } = command;
    const { user } = parts.reader();
    if (owner === undefined || owner.user !== null || user === null) return false;
    command.owner = { ...owner, user };
    return true;
  }

  /** Has a command of this run wait for its own reader. */
  function disown(queued: Queued, error: TaskgraphError): void {
    parts.refused(queued.command, error);
    queued.settle?.reject(error);
    queued.settle = null;
  }

  return {
    add(event, payload, key) {
      if (queue.length >= parts.maximum || queue.length + others.length >= parts.maximum * MAXIMUM_READERS)
        return Promise.reject(
          clientError('client.queue_full', `${queue.length + others.length} commands are waiting for the service.`),
        );
      if (isStopped) return Promise.reject(clientError('client.closed', 'The client is closed.'));
      const owner = { ...parts.reader() };
      // With the real ids of what is made by now: no later run knows them.
      const known = withIds({ ...payload } as Command['payload'], (provisional) => ids.get(provisional) ?? provisional);
      const command: Command = { key, event, payload: known, sentAt: null, owner };
      const place = placeOf(++count);
      return new Promise((resolve, reject) => {
        queue.push({ command, place, settle: { resolve, reject }, faults: 0 });
        parts.queued(command);
        store(place, command).catch(parts.failed);
        void run();
      });
    },
    restore(entries) {
      const found = [...entries]
        .filter(([place]) => place.startsWith(COMMAND_PREFIX))
        .map(([place, command]): Queued => ({ command: command as Command, place, settle: null, faults: 0 }))
        .sort(byPlace);
      count = Number(found.at(-1)?.place.slice(COMMAND_PREFIX.length) ?? 0);
      queue = found.filter(isOwn);
      others = found.filter((queued) => !isOwn(queued));
      for (const { command } of queue) parts.queued(command);
    },
    recognise() {
      const all = [...queue, ...others].sort(byPlace);
      const [isBack, isGone] = [others.some(isOwn), queue.filter((queued) => !isOwn(queued))];
      queue = all.filter(isOwn);
      others = all.filter((queued) => !isOwn(queued));
      const bound = queue.filter(({ command }) => bind(command));
      if (bound.length > 0)
        storage.write(new Map(bound.map(({ place, command }) => [place, command]))).catch(parts.failed);
      // In their order again: what later ones show lies over what earlier ones show.
      if (isBack) for (const { command } of queue) parts.queued(command);
      const error = clientError('client.other_user', `${others.length} commands of another user wait in this storage.`);
      for (const queued of isGone) disown(queued, error);
      if (others.length > 0 && others.length !== othersTold) parts.failed(error);
      othersTold = others.length;
    },
    wake() {
      if (timer !== null) clearTimeout(timer);
      timer = null;
      void run();
    },
    size: () => queue.length,
    stop() {
      isStopped = true;
      if (timer !== null) clearTimeout(timer);
      const error = clientError('client.closed', 'The client is closed; the command stays in the storage.');
      for (const { settle } of queue) settle?.reject(error);
    },
  };
}

function byPlace(one: Queued, other: Queued): number {
  return one.place < other.place ? -1 : 1;
}
