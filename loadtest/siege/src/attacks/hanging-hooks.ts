// Many webhooks of many users, whose receivers never answer or answer byte by byte, on nodes that
// change continuously.
import { createServer, type Socket } from 'node:net';
import type { SiegeUser } from '../plan.ts';
import { send } from '../raw-http.ts';
import { type Attack, type AttackContext, addressesOf, count, pause, repeat } from './attack.ts';

const address = addressesOf(90);
const HOOKS_A_USER = 20;
const DRIP_MS = 500;
const HEAD = 'HTTP/1.1 200 OK\r\nx: ';

export const hangingHooks: Attack = async (context) => {
  const { hookUsers } = context.plan;
  const receiver = await openReceiver(context);
  const nodes = await Promise.all(hookUsers.map((user) => addNode(context, user)));
  await Promise.all([
    ...hookUsers.map((user, index) => addHooks(context, user, `${receiver.url}/${index}`)),
    repeat(context, 50, async (turn) => {
      const at = turn % hookUsers.length;
      const [user, id] = [hookUsers[at] as SiegeUser, nodes[at]];
      if (id === undefined) return;
      const { status } = await callAs(context, user, {
        method: 'PUT',
        path: '/api/node',
        body: { id, title: `${turn}` },
      });
      count(context, `change ${status}`);
    }),
  ]);
  await receiver.close();
};

interface Call {
  readonly method: 'POST' | 'PUT';
  readonly path: string;
  readonly body: object;
}

let turn = 0;

function callAs({ plan: { urls } }: AttackContext, { token }: SiegeUser, call: Call) {
  turn++;
  return send({ url: urls[turn % urls.length] as string, from: address(turn % 200), token, ...call });
}

async function addNode(context: AttackContext, user: SiegeUser): Promise<string | undefined> {
  const { beginning, status } = await callAs(context, user, {
    method: 'POST',
    path: '/api/node',
    body: { title: 'x' },
  });
  count(context, `node ${status}`);
  return /"id":"([^"]+)"/.exec(beginning)?.[1];
}

/** Adds as many webhooks as a user may have; the rate limit refuses some at first. */
async function addHooks(context: AttackContext, user: SiegeUser, url: string): Promise<void> {
  const { signal } = context;
  for (let added = 0; added < HOOKS_A_USER && !signal.aborted; ) {
    const { status } = await callAs(context, user, {
      method: 'POST',
      path: '/api/hook',
      body: { url: `${url}/${added}` },
    });
    count(context, `hook ${status}`);
    if (status === 200) added++;
    else if (status === 409) return;
    else await pause(signal, 2_000);
  }
}

/**
 * A receiver that accepts a ping, so that its webhook becomes active, and then keeps every second
 * message without an answer, and the others with an endless head.
 */
async function openReceiver(context: AttackContext) {
  const sockets = new Set<Socket>();
  let messages = 0;
  const server = createServer((socket) => {
    sockets.add(socket);
    let timer: NodeJS.Timeout | undefined;
    socket
      .on('error', () => undefined)
      .once('close', () => {
        clearInterval(timer);
        sockets.delete(socket);
      });
    socket.once('data', (data) => {
      if (data.includes('hook.ping')) {
        socket.end('HTTP/1.1 204 Yes\r\n\r\n');
        count(context, 'ping');
        return;
      }
      messages++;
      count(context, 'message');
      if (messages % 2 === 0) return;
      socket.write(HEAD);
      timer = setInterval(() => socket.write('y'), DRIP_MS);
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
