// A replica of all that a reader reads: it follows a session, heals itself, keeps itself in a storage, and shows its changes.
// Rules: EVT1, EVT2, ACL7, ACL11, GEN8, PUB5. The file is long, since it puts all parts of a replica together.
import { isRead } from '../calls.ts';
import { clientError, type TaskgraphError } from '../error.ts';
import { createOutbox } from '../offline/outbox.ts';
import type { Connected, Session } from '../session.ts';
import type { ReplicaStorage } from '../storage/storage.ts';
import { callNow, readsOf } from './asking.ts';
import type { ReplicaEvents, ReplicaState } from './changes.ts';
import type { Replica, ReplicaBounds } from './contract.ts';
import type { CopyParts } from './copy-parts.ts';
import { createEmitter } from './emitter.ts';
import { createEntities, type Kind } from './entities.ts';
import { createGraphCopy } from './graph-copy.ts';
import { createHealer } from './healer.ts';
import { createKeeper, createStoredGraph, metaOf, type Stored } from './keeper.ts';
import { createLevels } from './levels.ts';
import { createPending } from './pending.ts';
import { createProgress } from './progress.ts';
import { createReading } from './reading.ts';
import { planningOf } from './replica-plan.ts';
import { createView } from './view.ts';
import { createWindows } from './windows.ts';

const MAXIMUM_ENTITIES = 500_000;
const MAXIMUM_COMMANDS = 1_000;

/**
 * Starts a replica over a session that is not open yet. A stored graph that was read with the same credentials is shown before the first
 * connection stands; any other waits until the service says who reads. `credentials` is their hash, null where there is none.
 */
export async function startReplica(
  session: Session,
  storage: ReplicaStorage,
  credentials: string | null,
  bounds: ReplicaBounds = {},
): Promise<Replica> {
  const { maximumEntities = MAXIMUM_ENTITIES, maximumCommands = MAXIMUM_COMMANDS } = bounds;
  const emitter = createEmitter<ReplicaEvents>();
  const failed = (error: unknown) => emitter.emit('failed', { error });
  let uid: string | null | undefined;
  const readerNow = () => ({ credentials, user: uid ?? null });
  let isConnected = false;
  let isSignedOut = false;
  let isClosed = false;
  let isRestoring = false;
  let isTruncated = false;
  const touched = (kind: Kind, id: string) => {
    view.touch(kind, id);
    if (!isRestoring) keeper.touch(kind, id);
    if (entities.nodes.size + entities.links.size > maximumEntities) overflow();
  };
  const entities = createEntities(touched);
  const reading = createReading();
  const progress = createProgress();
  const levels = createLevels(reading);
  const pending = createPending({
    entities,
    reading,
    progress,
    touched: (...entity) => view.touch(...entity),
    isRead: () => !healer.isReading(),
  });
  const windows = createWindows((id, word) => {
    if (word !== 'in') pending.takenAway(id);
  });
  const view = createView({
    emitter,
    current: (kind, id) => (isSignedOut ? undefined : pending.apply(kind, id, entities.entity(kind, id))),
  });
  const parts: CopyParts = {
    entities,
    reading,
    levels,
    progress,
    windows,
    wantWalk: () => healer.wantWalk(),
    isReading: () => healer.isReading(),
    lost(feed) {
      session.order.forget(feed);
      pending.lost(feed);
    },
  };
  const copy = createGraphCopy(parts);
  const healer = createHealer({
    copy,
    progress,
    reading,
    windows,
    failed,
    reads: readsOf(session, () => uid !== null),
    isConnected: () => isConnected,
    reached(heads) {
      session.order.reach(heads);
      progress.keep(reading.feeds());
      pending.settle();
    },
    stepped: () => after('soon'),
  });
  const keeper = createKeeper({
    storage,
    entities,
    failed,
    meta: () => stored.meta() ?? metaOf(readerNow(), { healer, levels, reading, progress }),
  });
  const outbox = createOutbox({
    storage,
    failed,
    maximum: maximumCommands,
    isConnected: () => isConnected,
    reader: readerNow,
    queued: pending.begin,
    send: (command) => callNow(session, command.event, { ...command.payload, idempotencyKey: command.key }) as never,
    done(command, answer) {
      const ids = pending.answered(command, answer);
      emitter.emit('command:done', { key: command.key, event: command.event, answer, ids });
      return ids;
    },
    refused(command, error) {
      pending.end(command.key);
      emitter.emit('command:refused', { key: command.key, event: command.event, error });
    },
  });

  /** After anything that came: the state, and what to ask for. */
  function after(when: 'now' | 'soon'): void {
    pending.settle();
    keeper.touchMeta();
    view.setState(stateNow());
    healer.wake(when);
  }

  function stateNow(): ReplicaState {
    if (isSignedOut) return 'signed-out';
    if (!isConnected) return 'offline';
    return healer.isWhole() ? 'live' : 'catching-up';
  }

  function overflow(): void {
    if (isClosed) return;
    const error = clientError('client.replica_full', `There is more to read than ${maximumEntities} nodes and links.`);
    failed(error);
    session.close(error);
  }

  function greeted({ uid: reader, feeds, position, truncated }: Connected): void {
    isTruncated = truncated === true;
    if (uid !== undefined && reader !== uid) forget();
    uid = reader;
    stored.settle(true);
    outbox.recognise();
    isConnected = true;
    const back = Object.entries(feeds).filter(([feed, head]) => reading.reads(feed) && progress.settled(feed) > head);
    if (back.length > 0) goBack(Object.fromEntries(back));
    copy.compare(feeds);
    const isCurrent = Object.entries(feeds).every(([feed, head]) => progress.settled(feed) >= head);
    if (isCurrent && healer.isWhole() && position !== null) healer.setPosition(position, feeds);
    outbox.wake();
    after('soon');
  }

  /** The service knows less than it has told: its database is an earlier one. */
  function goBack(heads: Readonly<Record<string, number>>): void {
    reading.rewind();
    windows.rewind(Object.keys(heads));
    progress.rewind(heads);
    session.order.rewind(heads);
    healer.wantWalk();
  }

  function forget(): void {
    for (const feed of reading.feeds()) session.order.forget(feed);
    entities.clear();
    reading.clear();
    levels.restore(null);
    progress.keep(reading.feeds());
    windows.clear();
    healer.wantWalk();
  }

  function ended(error: TaskgraphError): void {
    isConnected = false;
    if (!isClosed && error.code !== 'client.closed' && error.code !== 'client.replica_full') {
      // The graph is not this reader's to see any more, nor to find on this device.
      isSignedOut = true;
      stored.discard();
      forget();
    }
    healer.stop();
    view.setState(stateNow());
  }

  const unlisten = [
    session.listen('connected', greeted),
    session.listen('disconnected', () => {
      isConnected = false;
      view.setState(stateNow());
    }),
    session.listen('closed', ended),
    session.listen('diff', (slice) => {
      emitter.emit('slice', slice);
      copy.takeSlice(slice);
      after('soon');
    }),
    session.listen('waiting', (slice) => {
      copy.takeWaiting(slice);
      after('soon');
    }),
    session.listen('gap', ({ feed, from, to }) => {
      progress.hole(feed, from, to);
      after('now');
    }),
    session.listen('access', (news) => {
      copy.hear(news);
      emitter.emit('access', news);
      after('soon');
    }),
  ];

  const entries = await storage.load();
  const stored = createStoredGraph(entries, { reader: readerNow, restore, discard: keeper.discard });
  stored.settle(false);
  outbox.restore(entries);

  function restore({ meta, nodes, links }: Stored): void {
    uid = meta.uid;
    reading.restore(meta.levels);
    levels.restore(meta.email);
    isRestoring = true;
    for (const node of nodes) entities.setNode(node.entity.id, node);
    for (const link of links) entities.setLink(link);
    isRestoring = false;
    progress.rewind(meta.heads);
    for (const [feed, head] of Object.entries(meta.heads)) if (head < 0) progress.hole(feed, 0);
    session.order.reach(Object.fromEntries(Object.entries(meta.heads).filter(([, head]) => head >= 0)));
    if (meta.position !== null) healer.setPosition(meta.position, meta.positionHeads);
  }

  session.open();
  return {
    get state() {
      return view.state();
    },
    snapshot: view.snapshot,
    subscribe: view.subscribe,
    ...planningOf({ ...view, on: emitter.on, hasBlocker: entities.hasBlocker }),
    on: emitter.on,
    send: (event, payload, { key = crypto.randomUUID() } = {}) => outbox.add(event, payload, key),
    get truncated() {
      return isTruncated;
    },
    get waiting() {
      return outbox.size();
    },
    call: (event, payload) =>
      callNow(session, event, isRead(event) ? payload : { ...payload, idempotencyKey: crypto.randomUUID() }),
    async close() {
      isClosed = true;
      healer.stop();
      outbox.stop();
      for (const end of unlisten) end();
      session.close();
      isConnected = false;
      view.setState(stateNow());
      await keeper.flush();
      await storage.close();
    },
  };
}
