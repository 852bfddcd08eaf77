// A device with one storage that can fail, on which users sign in one after another.
import type { Socket } from 'socket.io-client';
import type { ReplicaBounds } from '../../replica/contract.ts';
import { startReplica } from '../../replica/replica.ts';
import { openSession } from '../../session.ts';
import { memoryStorage } from '../../storage/memory-storage.ts';
import type { ReplicaStorage } from '../../storage/storage.ts';
import { createFaultyConnection } from './faulty-connection.ts';
import { ACTIONS } from './model-actions.ts';
import { createModelServer, type ModelServer } from './model-server.ts';

type Body = Record<string, unknown>;

/** A device whose users each have a server and a connection. */
export function createDevice() {
  const storage = memoryStorage();
  const nothing = () => undefined;
  let isFull = false;
  const own: ReplicaStorage = {
    ...storage,
    write: async (entries) => {
      if (isFull) throw new Error('no space left');
      await storage.write(entries);
    },
  };
  const users = ['ann', 'bob'].map((uid) => {
    let connection: ReturnType<typeof createFaultyConnection> | null = null;
    const bounds = { page: 10, slices: 100, ids: 200 };
    const server: ModelServer = createModelServer(bounds, (pushes, heads) => connection?.push(pushes, heads));
    connection = createFaultyConnection(
      () => server,
      { lost: nothing, left: nothing, gone: nothing },
      () => 0.5,
    );
    connection.close();
    return { uid, server, connection };
  });
  const [ann, bob] = users as [(typeof users)[0], (typeof users)[0]];
  for (let index = 0; index < 3; index++) ACTIONS.addMine(ann.server, { one: 0, other: 0 });
  return {
    ann,
    bob,
    storage,
    setFull(next: boolean): void {
      isFull = next;
    },
    keys: async () => [...(await storage.load()).keys()].map((key) => key.replace(/\/.*/, '')).sort(),
    async open(user: typeof ann, credentials = `token of ${user.uid}`, bounds: ReplicaBounds = {}) {
      const socket = user.connection.open();
      let refuse = (_error: unknown): void => undefined;
      const on = (event: string, handler: (body: Body) => void) => {
        if (event === 'connect_error') refuse = handler as (error: unknown) => void;
        socket.on(
          event,
          event === 'connected' ? (body: Body) => handler({ ...body, uid: user.uid, username: user.uid }) : handler,
        );
      };
      const named = { ...socket, on } as unknown as Socket;
      const replica = await startReplica(openSession(named), own, credentials, bounds);
      const told: unknown[] = [];
      replica.on('failed', ({ error }) => told.push((error as { code?: string }).code));
      replica.on('command:refused', ({ key }) => told.push(key));
      /** The service refuses the token. */
      const refuseToken = () => refuse({ message: 'no', data: { error: 'unauthorized', message: 'no' } });
      return { replica, told, refuseToken };
    },
  };
}
