// Many webhooks of many users, whose receivers never answer or answer byte by byte, on nodes that
// change continuously. One further webhook has a receiver that answers at once, and must receive messages.
import { createServer, type Socket } from 'node:net';
import type { SiegeUser } from '../plan.ts';
import { send } from '../raw-http.ts';
import { type Attack, type AttackContext, addressesOf, breach, count, pause, repeat } from './attack.ts';

const address = addressesOf(90);
const HOOKS_A_USER = 20;
const DRIP_MS = 500;
const HEAD = 'HTTP/1.1 200 OK\r\nx: ';
const ACCEPTED = 'HTTP/1.1 204 No Content\r\n\r\n';
/** The path of the receiver that answers at once. */
const PROMPT_PATH = '/prompt';
/** In less time a webhook may not have become active. */
const LEAST_MS = 60_000;

export const hangingHooks: Attack = async (context) => {
  const { hookUsers } = context.plan;
  const [prompt, ...others] = hookUsers as [SiegeUser, ...SiegeUser[]];
  const startedMs = performance.now();
  const receiver = await openReceiver(context);
  const nodes = await Promise.all(hookUsers.map((user) => addNode(context, user)));
  await Promise.all([
    addHooks(context, prompt, `${receiver.url}${PROMPT_PATH}`, 1),
    ...others.map((user, index) => addHooks(context, user, `${receiver.url}/${index}`, HOOKS_A_USER)),
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
  for (const what of missingMessages(context.tally.counts, performance.now() - startedMs)) breach(context, what);
};

/** What an attack lacks that lasted long enough: without these messages it attacks nothing. */
export function missingMessages(counts: Readonly<Record<string, number>>, lastedMs: number): string[] {
  if (lastedMs < LEAST_MS) return [];
  const due = ['ping', 'message', 'prompt message'];
  return due.filter((what) => (counts[what] ?? 0) === 0).map((what) => `no ${what} came`);
}

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

/** Adds webhooks, at most as many as a user may have; the rate limit refuses some at first. */
async function addHooks(context: AttackContext, user: SiegeUser, url: string, number: number): Promise<void> {
  const { signal } = context;
  for (let added = 0; added < number && !signal.aborted; ) {
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
 * A receiver that accepts a ping, so that its webhook becomes active, and then leaves every second
 * message without an answer, and answers the others with an endless head. It accepts those of the prompt
 * path.
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
        socket.end(ACCEPTED);
        count(context, 'ping');
        return;
      }
      if (data.includes(`POST ${PROMPT_PATH}/`)) {
        socket.end(ACCEPTED);
        count(context, 'prompt message');
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
