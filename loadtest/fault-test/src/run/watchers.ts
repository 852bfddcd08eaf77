// Readers that record everything they receive: plain sockets and replicas.

import { type Entity, openReplica, type Replica } from '@taskgraph/client';
import { createReconnectingSocket } from '@taskgraph/testkit/stack/raw-socket';
import type { Connection, PushedSlice, ReplicaLog, Version } from '../history/history.ts';
import { readDiff } from './forest.ts';
import type { RunUser } from './writer.ts';

export interface Listener {
  /** One for each connection. */
  readonly connections: readonly Connection[];
  close(): void;
}

interface Wire {
  readonly feed: string;
  readonly seq: number;
  readonly batchId: string;
}

export function listen(name: string, url: string, { id: user, token }: RunUser): Listener {
  const connections: { client: string; user: string; pushes: PushedSlice[] }[] = [];
  const socket = createReconnectingSocket(url, { api_token: token });
  socket.on('connect', () => connections.push({ client: `${name}/${connections.length}`, user, pushes: [] }));
  socket.on('graph:diff', (slice: Wire & { truncated?: boolean }) => {
    const { feed, seq, batchId } = slice;
    // A marker for an oversized slice has no content.
    if (slice.truncated === true) return;
    connections.at(-1)?.pushes.push({ feed, seq, batch: batchId, versions: readDiff(slice).versions });
  });
  socket.connect();
  return { connections, close: () => socket.disconnect() };
}

export interface Watcher {
  readonly name: string;
  readonly replica: Replica;
  readonly runUser: RunUser;
  log(read: ReplicaLog['read']): ReplicaLog;
}

export async function watch(name: string, url: string, runUser: RunUser): Promise<Watcher> {
  const replica = await openReplica({ url, token: runUser.token });
  const shown: Version[] = [];
  const note = ({ id, version }: Entity) => void shown.push({ id, version: Number(version) });
  replica.on('node:added', ({ node }) => note(node));
  replica.on('node:changed', ({ node }) => note(node));
  replica.on('link:added', ({ link }) => note(link));
  replica.on('link:changed', ({ link }) => note(link));
  const log = (read: ReplicaLog['read']) => ({ client: name, user: runUser.id, shown, last: contentOf(replica), read });
  return { name, replica, runUser, log };
}

/** The entities that a replica shows, as texts by id. */
export function contentOf(replica: Replica): Record<string, string> {
  const { nodes, links } = replica.snapshot();
  return textsOf([...nodes.values()], [...links.values()]);
}

/**
 * Entities as texts, in the fields that pages and replicas share. Left out are share roots, which
 * are as of an entity's last change, and link fields that pages omit.
 */
export function textsOf(nodes: readonly Entity[], links: readonly Entity[]): Record<string, string> {
  // An older release lacks a field where a newer one has null.
  const plain = (fields: object) =>
    JSON.stringify(
      Object.entries(fields)
        .filter(([, value]) => value !== null)
        .sort(),
    );
  return Object.fromEntries([
    ...nodes.map(({ shareRoots: _roots, ...node }) => [node.id, plain(node)]),
    ...links.map(({ id, source, target, type, version, private: hidden }) => [
      id,
      plain({ source, target, type, version, hidden }),
    ]),
  ]);
}
