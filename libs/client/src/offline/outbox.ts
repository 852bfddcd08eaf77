// The queue of commands without an answer. Rule: GEN8.
//
// 1. Commands are sent in order, one at a time, each under its key until it has an answer.
// 2. The storage has a command before it is sent, and until its answer.
// 3. A command belongs to the reader who queued it. Those of other readers stay in the storage,
//    unsent and not shown.
// 4. A command counts as stored once the storage has it: from then on a later run sends it, if this one
//    ends.
// 5. A refusal that no caller may have seen is stored with its command, until it is dismissed.
import type { Calls, Changed, EventName } from '../calls.ts';
import { clientError, TaskgraphError } from '../error.ts';
import { joinSteps } from '../merge-diff.ts';
import { randomKey } from '../random-key.ts';
import { requestedWaitMs } from '../rate-limit-wait.ts';
import { isSameReader, type Reader } from '../reader.ts';
import { isTransient, retryWaitMs } from '../retry-policy.ts';
import type { ReplicaStorage } from '../storage/storage.ts';
import { mapPayloads, withIds } from './provisional-ids.ts';

/** A command in the queue; times are milliseconds since 1970. */
export interface Command {
  readonly key: string;
  readonly event: EventName;
  payload: Readonly<Record<string, unknown>>;
  /** The time of the first attempt; null while there was certainly none. */
  sentAt: number | null;
  /** The reader who queued it; an earlier release did not store it. */
  owner?: Reader;
}

/** A command that was refused while its reader may have been away. */
export interface Refusal {
  readonly key: string;
  readonly event: EventName;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly code: string;
  readonly message: string;
  /** When it was refused, in milliseconds since 1970. */
  readonly refusedAt: number;
}

interface StoredRefusal extends Refusal {
  readonly owner: Reader | undefined;
}

export interface OutboxDependencies {
  readonly send: (command: Command) => Promise<Record<string, unknown>>;
  readonly storage: ReplicaStorage;
  readonly maximum: number;
  readonly reader: () => Reader;
  readonly isConnected: () => boolean;
  /** Receives a command before it is sent, also a restored one. */
  readonly queued: (command: Command) => void;
  /** The storage has a command that it did not have. */
  readonly stored: (command: Command) => void;
  /** Receives an answer. Returns the real ids by provisional id, for later commands. */
  readonly done: (command: Command, answer: Record<string, unknown>) => Readonly<Record<string, string>>;
  readonly refused: (command: Command, error: TaskgraphError) => void;
  /** The list of refusals is another one. */
  readonly refusalsChanged: () => void;
  readonly failed: (error: unknown) => void;
  readonly now?: () => number;
}

export interface Outbox {
  /**
   * Queues a command. Resolves with its answer, which may need a connection first. Rejects with a
   * TaskgraphError.
   */
  add<E extends EventName>(event: E, payload: Calls[E]['payload'], key: string): Promise<Calls[E]['answer']>;
  /**
   * Queues the reader's commands of earlier runs and of pages that have ended. Those of other
   * readers stay in the storage.
   */
  restore(entries: ReadonlyMap<string, unknown>): void;
  /** Stores all commands and refusals, in a storage that has none of them. */
  rewrite(): void;
  /** The refusals of the reader that are not dismissed, oldest first. The same list until it changes. */
  refusals(): readonly Refusal[];
  dismiss(key: string): void;
  /** Queues a refused command again, whatever the version of its entity is now. */
  retry(key: string): void;
  /** The commands without an answer, in order. */
  commands(): readonly Command[];
  /** Decides again which commands are the reader's, after more became known about the reader. */
  assignOwners(): void;
  /** Sends the waiting commands now. */
  wake(): void;
  size(): number;
  /** The number of commands without an answer that the storage does not have yet. */
  unstored(): number;
  stop(): void;
}

const COMMAND_PREFIX = 'command/';
const REFUSAL_PREFIX = 'refused/';
/** Characters of a key that the service accepts. */
const MAXIMUM_KEY_LENGTH = 255;
/** The oldest are forgotten. */
const MAXIMUM_REFUSALS = 1_000;
/** The service stores answers for at least 24 hours. A later retry might run the command twice. */
const SAFE_TO_REPEAT_MS = 23 * 3_600_000;

interface QueuedCommand {
  readonly command: Command;
  place: string;
  /** Whether it waited for a connection, or is of an earlier run. */
  readonly isLate: boolean;
  /** Whether the storage has it. */
  isStored: boolean;
  settle: { resolve: (answer: never) => void; reject: (error: unknown) => void } | null;
  /** The number of internal errors of the service on it. */
  faults: number;
}

/** Errors that do not concern the command itself: it is retried. */
const TRANSIENT_CODES = new Set([
  'unauthorized',
  'client.timeout',
  'client.closed',
  'client.too_many_calls',
  'rate_limited',
]);
/** Internal errors after which a command is dropped, so that the others can proceed. */
const MAXIMUM_FAULTS = 5;
/** Provisional ids that are stored after their command is done, for callers that still use them. */
const MAXIMUM_IDS = 10_000;
/** The commands of all readers of a storage are at most this many times those of one. */
const MAXIMUM_READERS = 10;

export function createOutbox(parts: OutboxDependencies): Outbox {
  const { storage, now = Date.now } = parts;
  let queue: QueuedCommand[] = [];
  /** The commands of other readers. */
  let others: QueuedCommand[] = [];
  let othersReported = 0;
  const refused = new Map<string, StoredRefusal>();
  let shownRefusals: readonly Refusal[] | null = null;
  const ids = new Map<string, string>();
  let count = 0;
  let isRunning = false;
  let isStopped = false;
  let attempts = 0;
  let timer: ReturnType<typeof setTimeout> | null = null;
  let storeTimer: ReturnType<typeof setTimeout> | null = null;
  let storeFailures = 0;
  /** The places that the storage refused to write. */
  const missed = new Set<string>();

  /** Writes these commands, which count as stored then. Rejects with the storage's error. */
  async function store(commands: readonly QueuedCommand[], changes: ReadonlyMap<string, unknown>): Promise<void> {
    try {
      await storage.write(changes);
    } catch (error) {
      for (const place of changes.keys()) missed.add(place);
      throw error;
    }
    for (const place of changes.keys()) missed.delete(place);
    storeFailures = 0;
    for (const queued of commands) {
      if (queued.isStored) continue;
      queued.isStored = true;
      parts.stored(queued.command);
    }
  }

  /** Like `store`, with retries until it succeeds. */
  function storeWithRetry(
    commands: readonly QueuedCommand[],
    changes: ReadonlyMap<string, unknown> = new Map(commands.map(({ place, command }) => [place, command])),
  ): Promise<void> {
    return store(commands, changes).catch((error: unknown) => {
      parts.failed(error);
      scheduleStore();
    });
  }

  function scheduleStore(): void {
    if (isStopped) return;
    storeTimer ??= setTimeout(() => {
      storeTimer = null;
      storeMissed();
    }, retryWaitMs(++storeFailures));
  }

  /** Writes what is at the missed places now. */
  function storeMissed(): void {
    // The one that is being sent is stored with the time of that.
    const sent = isRunning && queue[0]?.command.sentAt === null ? queue[0].place : null;
    const places = [...missed].filter((place) => place !== sent);
    const commands = [...queue, ...others].filter(({ place }) => place !== sent && missed.has(place));
    const changes = new Map<string, unknown>(places.map((place) => [place, refused.get(place)]));
    for (const { place, command } of commands) changes.set(place, command);
    if (places.length > 0) void storeWithRetry(commands, changes);
  }

  /** Pages that share the storage end their keys with their ids. */
  const placeOf = (number: number) => {
    const { page = '' } = storage;
    return `${COMMAND_PREFIX}${String(number).padStart(12, '0')}${page === '' ? '' : `.${page}`}`;
  };

  async function run(): Promise<void> {
    if (isRunning) return;
    isRunning = true;
    try {
      while (queue[0] !== undefined && !isStopped && parts.isConnected() && timer === null) await sendFirst(queue[0]);
    } finally {
      isRunning = false;
    }
  }

  async function sendFirst(first: QueuedCommand): Promise<void> {
    const { command, place } = first;
    try {
      const isLate = command.sentAt !== null && now() - command.sentAt > SAFE_TO_REPEAT_MS;
      if (isLate) throw clientError('client.outcome_unknown', 'Its outcome is unknown after a day.');
      const payload = withRealIds(command.payload);
      // Stored before sending: after a crash the command counts as one that may have run.
      if (command.sentAt === null) await store([first], new Map([[place, { ...command, sentAt: now() }]]));
      command.sentAt ??= now();
      const answer = await parts.send({ ...command, payload });
      attempts = 0;
      await dequeue(first, { ids: parts.done(command, answer), versions: versionsIn(answer) });
      first.settle?.resolve(answer as never);
    } catch (error) {
      if (isStopped) return;
      if (isRetryable(error, first)) return waitFor(error);
      attempts = 0;
      await dequeue(first, { refusal: refusalOf(first, error as TaskgraphError) });
      parts.refused(command, error as TaskgraphError);
      first.settle?.reject(error);
    }
  }

  /** Removes a command from the queue. The same write puts what its answer says into later commands. */
  async function dequeue(first: QueuedCommand, { ids: realIds = {}, versions, refusal }: Outcome): Promise<void> {
    queue = queue.filter((each) => each !== first);
    const changes = new Map<string, unknown>([[first.place, undefined]]);
    const changed: QueuedCommand[] = [];
    for (const [provisional, id] of Object.entries(realIds)) ids.set(provisional, id);
    for (const queued of queue) {
      const { command, place } = queued;
      const named = withIds(command.payload, (provisional) => realIds[provisional] ?? provisional);
      // A repeat of the command gets the same answer, if its payload stays the same.
      const isRepeat = command.key === first.command.key;
      const payload = isRepeat ? named : mapPayloads(named, (fields) => withVersion(fields, versions));
      if (payload === command.payload) continue;
      command.payload = payload;
      changes.set(place, command);
      changed.push(queued);
    }
    for (const provisional of ids.keys()) if (ids.size > MAXIMUM_IDS) ids.delete(provisional);
    if (refusal !== undefined) {
      const place = REFUSAL_PREFIX + first.place.slice(COMMAND_PREFIX.length);
      changes.set(place, refusal);
      for (const forgotten of setRefusal(place, refusal)) changes.set(forgotten, undefined);
    }
    await storeWithRetry(changed, changes);
  }

  /** Returns the places of refusals that are forgotten for it. */
  function setRefusal(place: string, refusal: StoredRefusal): string[] {
    refused.set(place, refusal);
    refusalsChanged();
    const forgotten = [...refused.keys()].slice(0, Math.max(0, refused.size - MAXIMUM_REFUSALS));
    for (const each of forgotten) refused.delete(each);
    return forgotten;
  }

  function refusalsChanged(): void {
    shownRefusals = null;
    parts.refusalsChanged();
  }

  /** Undefined if the caller has it: they wait, and a conflict of versions is theirs to resolve. */
  function refusalOf({ command, isLate, settle }: QueuedCommand, { code, message }: TaskgraphError) {
    if (!isLate || (settle !== null && code === 'version_conflict')) return undefined;
    const { key, event, payload, owner } = command;
    return { key, event, payload, code, message, refusedAt: now(), owner };
  }

  /** Errors of the storage are retried too: a command must be stored before it is sent. */
  function isRetryable(error: unknown, first: QueuedCommand): boolean {
    if (!(error instanceof TaskgraphError) || isTransient(error.code) || TRANSIENT_CODES.has(error.code)) return true;
    return error.code.startsWith('internal') && ++first.faults < MAXIMUM_FAULTS;
  }

  function waitFor(error: unknown): void {
    if (!(error instanceof TaskgraphError)) {
      parts.failed(error);
      scheduleStore();
    }
    const waitMs = requestedWaitMs(error) ?? retryWaitMs(++attempts);
    timer = setTimeout(() => {
      timer = null;
      void run();
    }, waitMs);
  }

  /** The payload with real ids. Throws if a provisional id belongs to a refused command. */
  function withRealIds(payload: Command['payload']): Command['payload'] {
    return withIds(payload, (provisional) => {
      const id = ids.get(provisional);
      if (id !== undefined) return id;
      throw clientError('client.depends_on_refused', 'The creation of its entity was refused.');
    });
  }

  const isOwn = ({ command }: QueuedCommand) => isSameReader(command.owner, parts.reader());

  /** Adds the user to a command that was queued while only the credentials were known. */
  function bind(command: Command): boolean {
    const { owner } = command;
    const { user } = parts.reader();
    if (owner === undefined || owner.user !== null || user === null) return false;
    command.owner = { ...owner, user };
    return true;
  }

  /** Leaves a command of this run in the storage for its own reader. */
  function rejectForeign(queued: QueuedCommand, error: TaskgraphError): void {
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
      // With the real ids that are known now, since a later run does not know them.
      const known = withIds({ ...payload } as Command['payload'], (provisional) => ids.get(provisional) ?? provisional);
      const command: Command = { key, event, payload: known, sentAt: null, owner };
      const place = placeOf(++count);
      return new Promise((resolve, reject) => {
        const isLate = !parts.isConnected();
        const queued = { command, place, isLate, isStored: false, settle: { resolve, reject }, faults: 0 };
        queue.push(queued);
        parts.queued(command);
        void storeWithRetry([queued]);
        void run();
      });
    },
    restore(entries) {
      const known = new Set([...queue, ...others].map(({ place }) => place));
      const found = [...entries]
        .filter(([place]) => place.startsWith(COMMAND_PREFIX) && !known.has(place))
        .map(([place, command]): QueuedCommand => restoredCommand(place, command as Command))
        .sort(byPlace);
      const own = found.filter(isOwn);
      queue.push(...own);
      others.push(...found.filter((queued) => !isOwn(queued)));
      for (const { command } of own) parts.queued(command);
      const stored = [...entries].filter(([place]) => place.startsWith(REFUSAL_PREFIX));
      for (const [place, refusal] of stored) refused.set(place, refusal as StoredRefusal);
      // A command takes its number with it when it is refused.
      for (const place of [...found.map((each) => each.place), ...refused.keys()])
        count = Math.max(count, Number.parseInt(place.slice(place.indexOf('/') + 1), 10));
      if (stored.length > 0) refusalsChanged();
      void run();
    },
    rewrite() {
      const changes = new Map<string, unknown>(refused);
      const all = [...queue, ...others];
      for (const each of all) {
        // A write since the loss may have put it there.
        changes.set(each.place, undefined);
        each.place = placeOf(++count);
        each.isStored = false;
        changes.set(each.place, each.command);
      }
      void storeWithRetry(all, changes);
    },
    refusals() {
      shownRefusals ??= [...refused.values()]
        .filter(({ owner }) => isSameReader(owner, parts.reader()))
        .sort((one, other) => one.refusedAt - other.refusedAt);
      return shownRefusals;
    },
    dismiss(key) {
      const places = [...refused].filter(([, refusal]) => refusal.key === key).map(([place]) => place);
      if (places.length === 0) return;
      for (const place of places) refused.delete(place);
      refusalsChanged();
      void storeWithRetry([], new Map(places.map((place) => [place, undefined])));
    },
    retry(key) {
      const found = [...refused].find(([, refusal]) => refusal.key === key);
      if (found === undefined) return;
      const [place, { event, payload: given, owner }] = found;
      const payload = mapPayloads(given, withoutVersion);
      // With the same key, later commands may name what it creates.
      const own = payload === given ? key : keyWithoutVersion(key);
      const queued = restoredCommand(placeOf(++count), {
        key: own,
        event,
        payload,
        sentAt: null,
        ...definedOwner(owner),
      });
      queued.isStored = false;
      refused.delete(place);
      refusalsChanged();
      queue.push(queued);
      parts.queued(queued.command);
      const changes = new Map<string, unknown>([
        [place, undefined],
        [queued.place, queued.command],
      ]);
      void storeWithRetry([queued], changes);
      void run();
    },
    commands: () => queue.map(({ command }) => command),
    assignOwners() {
      const all = [...queue, ...others].sort(byPlace);
      const [isBack, isGone] = [others.some(isOwn), queue.filter((queued) => !isOwn(queued))];
      queue = all.filter(isOwn);
      others = all.filter((queued) => !isOwn(queued));
      const bound = queue.filter(({ command }) => bind(command));
      if (bound.length > 0) void storeWithRetry(bound);
      // In order again, so that the changes of later commands are on top.
      if (isBack) for (const { command } of queue) parts.queued(command);
      const error = clientError('client.other_user', `The storage has ${others.length} commands of another user.`);
      for (const queued of isGone) rejectForeign(queued, error);
      if (others.length > 0 && others.length !== othersReported) parts.failed(error);
      othersReported = others.length;
      // The reader may be another one now.
      if (refused.size > 0) refusalsChanged();
    },
    wake() {
      if (timer !== null) clearTimeout(timer);
      timer = null;
      void run();
    },
    size: () => queue.length,
    unstored: () => queue.filter(({ isStored }) => !isStored).length,
    stop() {
      isStopped = true;
      if (timer !== null) clearTimeout(timer);
      if (storeTimer !== null) clearTimeout(storeTimer);
      const error = clientError('client.closed', 'The client is closed. The command stays in the storage.');
      for (const { settle } of queue) settle?.reject(error);
    },
  };
}

/** What the end of a command changes in the queue. */
interface Outcome {
  /** The real ids of the created entities, by provisional id. */
  readonly ids?: Readonly<Record<string, string>>;
  readonly versions?: ReadonlyMap<string, VersionStep>;
  readonly refusal?: StoredRefusal | undefined;
}

/** The versions of an entity before and after a command. */
interface VersionStep {
  readonly before: unknown;
  readonly after: unknown;
}

/** A batch may change an entity several times: its first version and its last one count. */
function versionsIn(answer: Record<string, unknown>): ReadonlyMap<string, VersionStep> {
  const { diff } = answer as Partial<Pick<Changed, 'diff'>>;
  const steps = joinSteps([...(diff?.nodes ?? []), ...(diff?.links ?? [])]);
  return new Map([...steps].map(({ id, before, after }) => [id, { before: before.version, after: after.version }]));
}

/**
 * A later command was given on the version before an own one. The reader saw that change, so the
 * command expects the version after it.
 */
function withVersion(payload: Command['payload'], versions: Outcome['versions']): Command['payload'] {
  const step = versions?.get(String(payload.id));
  const isNext = step !== undefined && payload.version !== undefined && payload.version === step.before;
  return isNext && step.after !== undefined ? { ...payload, version: step.after } : payload;
}

function withoutVersion(payload: Command['payload']): Command['payload'] {
  const { version, ...others } = payload;
  return version === undefined ? payload : others;
}

function definedOwner(owner: Reader | undefined): Pick<Command, 'owner'> {
  return owner === undefined ? {} : { owner };
}

/**
 * The key of a command whose payload has lost its versions: another body needs another key. Two pages
 * that retry the same refusal have the same one, so the service runs it once.
 */
function keyWithoutVersion(key: string): string {
  const own = `${key}.unversioned`;
  return own.length <= MAXIMUM_KEY_LENGTH ? own : randomKey();
}

function restoredCommand(place: string, command: Command): QueuedCommand {
  return { command, place, isLate: true, isStored: true, settle: null, faults: 0 };
}

function byPlace(one: QueuedCommand, other: QueuedCommand): number {
  return one.place < other.place ? -1 : 1;
}
