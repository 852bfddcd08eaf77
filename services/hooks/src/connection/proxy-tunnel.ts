// Tunnels through the egress proxy, by CONNECT. A fault of the proxy says nothing about the target
// (HOOK8):
//
// 1. It cannot be reached within 5 s, with its TLS handshake.
// 2. It does not answer the CONNECT, and no other request either. If it does answer another request,
//    it waits for the target.
// 3. It refuses the login. It may also refuse a single target like this, so jobs bound it.
import { type ClientRequest, request as httpRequest } from 'node:http';
import type { Socket } from 'node:net';
import type { SecureContext } from 'node:tls';
import { portOf } from '../addresses/address-policy.ts';
import { failureOf, SendFailure } from '../failure.ts';
import { createSharedCheck } from '../shared-check.ts';
import { openSocket, unlessAborted, withLimit } from './socket.ts';

/** Limit of a connection to the proxy, and of the check whether it answers. Milliseconds. */
const PROXY_LIMIT_MS = 5_000;
/** Milliseconds without an answer to a CONNECT after which the proxy is checked. */
const CHECK_AFTER_MS = 4_000;
/** Status with which a proxy refuses the login. */
const LOGIN_REFUSED = 407;

/** Opens a connection to a target, as `host:port`, through the proxy. Rejects with a `SendFailure`. */
export type OpenTunnel = (target: string, signal: AbortSignal) => Promise<Socket>;

export function createTunnels(proxy: URL, secureContext: SecureContext): OpenTunnel {
  const { username, password } = proxy;
  const login = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64');
  const headers = username === '' ? {} : { 'proxy-authorization': `Basic ${login}` };
  const isUp = createSharedCheck(() => doesAnswer(proxy, secureContext));
  return async (target, signal) => {
    const socket = await connectToProxy(proxy, secureContext, signal);
    const request = httpRequest({
      createConnection: () => socket,
      method: 'CONNECT',
      path: target,
      headers: { ...headers, host: target },
    });
    let timer: NodeJS.Timeout | undefined;
    const silence = new Promise<never>((_, reject) => {
      timer = setTimeout(async () => {
        if (!(await isUp())) reject(fault('the proxy answers nothing'));
      }, CHECK_AFTER_MS);
    });
    try {
      return await unlessAborted(Promise.race([tunnelOf(request), silence]), signal);
    } catch (error) {
      request.destroy();
      throw error;
    } finally {
      clearTimeout(timer);
    }
  };
}

/** Sends the CONNECT and resolves when the tunnel is open. */
function tunnelOf(request: ClientRequest): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const refuse = (status = 0) => {
      const isInstallationFault = status === LOGIN_REFUSED;
      reject(new SendFailure('proxy', `the proxy answered ${status}`, { isInstallationFault }));
    };
    request.once('connect', ({ statusCode }, socket, head) => {
      if (statusCode === 200 && head.length === 0) return resolve(socket as Socket);
      socket.destroy();
      refuse(statusCode);
    });
    request.once('response', ({ statusCode }) => refuse(statusCode));
    request.on('error', (error) => reject(failureOf(error, 'proxy')));
    request.once('close', () => reject(new SendFailure('proxy', 'the proxy closed the connection')));
    request.end();
  });
}

async function connectToProxy(proxy: URL, secureContext: SecureContext, signal: AbortSignal): Promise<Socket> {
  const open = (limited: AbortSignal) => openSocket(proxy, { port: portOf(proxy), secureContext, signal: limited });
  try {
    return await withLimit(signal, PROXY_LIMIT_MS, open);
  } catch (error) {
    if (signal.aborted) throw error;
    throw fault('the proxy cannot be reached', error);
  }
}

/** Whether the proxy answers a request that concerns no target. */
async function doesAnswer(proxy: URL, secureContext: SecureContext): Promise<boolean> {
  const signal = AbortSignal.timeout(PROXY_LIMIT_MS);
  try {
    const socket = await openSocket(proxy, { port: portOf(proxy), secureContext, signal });
    const request = httpRequest({
      createConnection: () => socket,
      method: 'OPTIONS',
      path: '*',
      headers: { host: proxy.host, 'max-forwards': '0', connection: 'close' },
      signal,
    });
    return await new Promise<boolean>((resolve) => {
      request.once('response', () => resolve(true));
      // A proxy that ends the connection has read the request.
      request.on('error', () => resolve(!signal.aborted));
      request.once('close', () => resolve(!signal.aborted));
      request.end();
    }).finally(() => socket.destroy());
  } catch {
    return false;
  }
}

function fault(message: string, cause?: unknown): SendFailure {
  return new SendFailure('proxy', message, { cause, isInstallationFault: true });
}
