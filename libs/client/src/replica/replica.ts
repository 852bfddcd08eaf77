// A replica of everything that is visible to a reader: it follows a session, fetches missing parts,
// stores itself, and reports changes. Rules: EVT1, EVT2, ACL7, ACL11, GEN8, PUB5.

import { clientError, type TaskgraphError } from '../error.ts';
import { createOutbox, type Outbox, type OutboxDependencies } from '../offline/outbox.ts';
import { randomKey } from '../random-key.ts';
import type { Connected, Session, Unsubscribe } from '../session.ts';
import type { ReplicaStorage, TakeOverListener } from '../storage/storage.ts';
import type { Replica, ReplicaBounds } from './contract.ts';
import {
  createPersistence,
  createStoredGraph,
  type GraphRecord,
  metaOf,
  type Persistence,
  type StoredGraph,
} from './persistence.ts';
import type { ReplicaState } from './replica-events.ts';
import { searchMethodsOf } from './replica-find.ts';
import { createReplicaGraph, type ReplicaGraph } from './replica-graph.ts';
import { planMethodsOf } from './replica-plan.ts';
import { callWithKey, resyncReads } from './requests.ts';
import type { ReadRestPage } from './rest/rest-pages.ts';
import { createResync } from './resync.ts';

const MAXIMUM_ENTITIES = 500_000;
const MAXIMUM_COMMANDS = 1_000;
/** Nodes or links of a stored graph in one step. */
const RESTORE_STEP_ENTITIES = 2_000;

/**
 * Starts a replica over a session that is not open yet. A stored graph that was read with the same
 * credentials is shown before the first connection. Any other graph waits until the service names
 * the reader. `credentials` is their hash, or null if there is none. The session fetches the pages
 * that `restPage` does not.
 */
export async function startReplica(
  session: Session,
  storage: ReplicaStorage,
  credentials: string | null,
  { maximumEntities = MAXIMUM_ENTITIES, maximumCommands = MAXIMUM_COMMANDS }: ReplicaBounds = {},
  restPage?: Promise<ReadRestPage | null>,
): Promise<Replica> {
  /** Undefined until the service or a stored graph names the reader; null without an account. */
  let uid: string | null | undefined;
  let username: string | null = null;
  const reader = () => ({ credentials, user: uid ?? null });
  let isConnected = false;
  let isSignedOut = false;
  let isClosed = false;
  let isRestoring = false;
  let isTruncated = false;
  const graph = createReplicaGraph({
    resync: () => resync,
    touched(kind, id, hasLeft) {
      if (!isRestoring) persistence.touch(kind, id, hasLeft);
      if (entities.nodes.size + entities.links.size > maximumEntities) overflow();
    },
    feedLost: session.order.forget,
    isHidden: () => isSignedOut,
  });
  const { emitter, entities, readFeeds, progress, levels, pendingCommands, pageWindows, view, copy } = graph;
  const failed = (error: unknown) => emitter.emit('failed', { error });
  const resync = createResync({
    ...graph,
    failed,
    reads: resyncReads(session, () => uid, restPage),
    isConnected: () => isConnected,
    reached(heads) {
      session.order.reach(heads);
      progress.retainOnly(readFeeds.feeds());
      pendingCommands.removeApplied();
    },
    stepped: () => update('soon'),
  });
  const persistence = createPersistence({
    storage,
    entities,
    failed,
    meta: () => stored.meta() ?? metaOf({ ...reader(), username }, { resync, levels, readFeeds, progress }),
  });
  const outbox = createReplicaOutbox(session, graph, {
    storage,
    failed,
    maximum: maximumCommands,
    isConnected: () => isConnected,
    reader,
  });

  /** Runs after everything that arrives: updates the state, and fetches what is missing. */
  function update(when: 'now' | 'soon'): void {
    pendingCommands.removeApplied();
    persistence.touchMeta();
    view.setState(currentState());
    resync.wake(when);
  }

  function currentState(): ReplicaState {
    if (isSignedOut) return 'signed-out';
    if (!isConnected) return 'offline';
    return resync.isComplete() ? 'live' : 'catching-up';
  }

  function overflow(): void {
    if (isClosed) return;
    const error = clientError('client.replica_full', `More than ${maximumEntities} nodes and links are visible.`);
    failed(error);
    session.close(error);
  }

  function onConnected({ uid: user, username: name, feeds, position, truncated }: Connected): void {
    isTruncated = truncated === true;
    if (uid !== undefined && user !== uid) clearGraph();
    uid = user;
    stored.restoreOrDelete();
    username = name ?? username;
    outbox.assignOwners();
    isConnected = true;
    const heads = Object.entries(feeds);
    const rewound = heads.filter(([feed, head]) => readFeeds.reads(feed) && progress.completeUpTo(feed) > head);
    if (rewound.length > 0) rewind(Object.fromEntries(rewound));
    copy.reconcile(feeds);
    const isCurrent = heads.every(([feed, head]) => progress.completeUpTo(feed) >= head);
    if (isCurrent && resync.isComplete() && position !== null) resync.setPosition(position, feeds);
    outbox.wake();
    update('soon');
  }

  /**
   * The service has lower numbers than it has sent: its database was restored from an earlier
   * state.
   */
  function rewind(heads: Readonly<Record<string, number>>): void {
    readFeeds.rewind();
    pageWindows.rewind(Object.keys(heads));
    progress.rewind(heads);
    session.order.rewind(heads);
    resync.requestFullRead();
  }

  function clearGraph(): void {
    username = null;
    for (const feed of readFeeds.feeds()) session.order.forget(feed);
    entities.clear();
    readFeeds.clear();
    levels.restore(null);
    progress.retainOnly(readFeeds.feeds());
    pageWindows.clear();
    resync.requestFullRead();
  }

  function onDisconnected(): void {
    isConnected = false;
    view.setState(currentState());
  }

  function onClosed({ code }: TaskgraphError): void {
    isConnected = false;
    if (!isClosed && code !== 'client.closed' && code !== 'client.replica_full') {
      // The reader lost access, so nothing of the graph stays on this device.
      isSignedOut = true;
      stored.discard();
      clearGraph();
    }
    resync.stop();
    view.setState(currentState());
  }

  function* restore({ meta, nodes, links }: GraphRecord): Iterable<void> {
    uid = meta.uid;
    username = meta.username ?? null;
    readFeeds.restore(meta.levels);
    levels.restore(meta.email);
    isRestoring = true;
    for (const [at, node] of nodes.entries()) {
      entities.setNode(node.entity.id, node);
      if (at % RESTORE_STEP_ENTITIES === 0) yield;
    }
    for (const [at, link] of links.entries()) {
      entities.setLink(link);
      if (at % RESTORE_STEP_ENTITIES === 0) yield;
    }
    isRestoring = false;
    progress.rewind(meta.heads);
    const heads = Object.entries(meta.heads);
    for (const [feed, head] of heads) if (head < 0) progress.addGap(feed, 0);
    session.order.reach(Object.fromEntries(heads.filter(([, head]) => head >= 0)));
    if (meta.position !== null) resync.setPosition(meta.position, meta.positionHeads);
  }

  const unsubscribe = [
    session.listen('connected', onConnected),
    session.listen('disconnected', onDisconnected),
    session.listen('closed', onClosed),
    ...listenToPushes(session, graph, update),
  ];
  const entries = await storage.load();
  const stored = createStoredGraph(entries, { reader, restore, discard: persistence.discard });
  await stored.restoreInTurns();
  outbox.restore(entries);
  storage.onTakeOver?.(takeOverBy({ stored, persistence, outbox }));
  session.open();

  async function close(): Promise<void> {
    isClosed = true;
    resync.stop();
    outbox.stop();
    for (const end of unsubscribe) end();
    session.close();
    onDisconnected();
    await persistence.flush();
    await storage.close();
  }

  return {
    get state() {
      return view.state();
    },
    snapshot: view.snapshot,
    subscribe: view.subscribe,
    get userId() {
      return uid ?? null;
    },
    get username() {
      return username;
    },
    ...planMethodsOf({ ...view, on: emitter.on, hasBlocker: entities.hasBlocker }),
    ...searchMethodsOf({ ...view, on: emitter.on, username: () => username }),
    on: emitter.on,
    get truncated() {
      return isTruncated;
    },
    get waiting() {
      return outbox.size();
    },
    get unstored() {
      return outbox.unstored();
    },
    ...commandMethodsOf(session, outbox),
    close,
  };
}

type CommandMethods = Pick<Replica, 'send' | 'call' | 'commands' | 'refusals' | 'dismiss' | 'retry'>;

function commandMethodsOf(session: Session, outbox: Outbox): CommandMethods {
  const { add, commands, refusals, dismiss, retry } = outbox;
  return {
    send: (event, payload, { key = randomKey() } = {}) => add(event, payload, key),
    call: (event, payload) => callWithKey(session, event, payload, randomKey()),
    commands,
    refusals,
    dismiss,
    retry,
  };
}

interface StoredParts {
  readonly stored: StoredGraph;
  readonly persistence: Persistence;
  readonly outbox: Outbox;
}

function takeOverBy({ stored, persistence, outbox }: StoredParts): TakeOverListener {
  const graph = () => {
    stored.discard();
    persistence.rewrite();
  };
  const everything = (entries: ReadonlyMap<string, unknown>) => {
    graph();
    // Also what has left the graph since it was stored.
    persistence.discard(entries);
    outbox.rewrite();
    outbox.restore(entries);
  };
  return { graph, commands: outbox.restore, everything };
}

/** Applies the pushes of a session to the graph, and calls `update` after each. */
function listenToPushes(
  session: Session,
  { emitter, copy, progress }: ReplicaGraph,
  update: (when: 'now' | 'soon') => void,
): Unsubscribe[] {
  return [
    session.listen('diff', (slice) => {
      emitter.emit('slice', slice);
      copy.applySlice(slice);
      update('soon');
    }),
    session.listen('waiting', (slice) => {
      copy.applyWaiting(slice);
      update('soon');
    }),
    session.listen('gap', ({ feed, from, to }) => {
      progress.addGap(feed, from, to);
      update('now');
    }),
    session.listen('access', (change) => {
      copy.applyAccess(change);
      emitter.emit('access', change);
      update('soon');
    }),
  ];
}

/** An outbox whose commands show in the graph and end in an event. */
function createReplicaOutbox(
  session: Session,
  { emitter, pendingCommands }: ReplicaGraph,
  dependencies: Pick<OutboxDependencies, 'storage' | 'failed' | 'maximum' | 'isConnected' | 'reader'>,
): Outbox {
  return createOutbox({
    ...dependencies,
    queued: pendingCommands.begin,
    stored: ({ key }) => emitter.emit('command:stored', { key }),
    send: ({ event, payload, key }) => callWithKey(session, event, payload, key) as never,
    done({ key, event }, answer) {
      const ids = pendingCommands.recordAnswer(key, answer);
      emitter.emit('command:done', { key, event, answer, ids });
      return ids;
    },
    refusalsChanged: () => emitter.emit('refusals', null),
    refused({ key, event }, error) {
      pendingCommands.end(key);
      emitter.emit('command:refused', { key, event, error });
    },
  });
}
