// Sockets that are ready for a request, or end with their attempt.
import { isIP, connect as netConnect, type Socket, type TcpNetConnectOpts } from 'node:net';
import { type ConnectionOptions, type SecureContext, connect as tlsConnect } from 'node:tls';
import { hostOf } from '../addresses/address-policy.ts';
import { failureOf, SendFailure } from '../failure.ts';

interface SocketContext {
  readonly secureContext: SecureContext;
  readonly signal: AbortSignal;
}

/** Connects to the host of the URL, with TLS for `https`. Rejects with a `SendFailure`. */
export function openSocket(
  url: URL,
  { secureContext, signal, ...options }: Omit<TcpNetConnectOpts, 'host' | 'signal'> & SocketContext,
): Promise<Socket> {
  if (url.protocol === 'https:') return secureSocket(url, { ...options, secureContext, signal });
  return untilEvent(netConnect({ ...options, host: hostOf(url) }), 'connect', signal);
}

/** Like `openSocket`, always with TLS. */
export function secureSocket(url: URL, { signal, ...options }: ConnectionOptions & SocketContext): Promise<Socket> {
  const host = hostOf(url);
  // A certificate's name is compared with `host`. An IP address may not be sent as a server name.
  const name = { host, ...(isIP(host) === 0 && { servername: host }) };
  const socket = tlsConnect({ ...options, ...name, rejectUnauthorized: true, ALPNProtocols: ['http/1.1'] });
  return untilEvent(socket, 'secureConnect', signal);
}

/** Resolves at the event. Until then, aborting the signal destroys the socket. */
function untilEvent(socket: Socket, event: 'connect' | 'secureConnect', signal: AbortSignal): Promise<Socket> {
  const opened = new Promise<Socket>((resolve, reject) => {
    const fail = (error: Error) => reject(failureOf(error, 'connection'));
    const close = () => reject(new SendFailure('connection', 'the connection was closed'));
    socket.on('error', fail);
    socket.once('close', close);
    socket.once(event, () => {
      socket.off('error', fail);
      socket.off('close', close);
      resolve(socket);
    });
  });
  return unlessAborted(opened, signal, () => socket.destroy());
}

/** The result of the work, unless the signal is aborted before it ends. `end` then stops the work. */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal, end: () => void = () => {}): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      reject(timeout());
      end();
    };
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

/**
 * The result of the work, whose signal is aborted with the given one, or after the limit. On Node 20 a
 * signal of `AbortSignal.any` may be left waiting for ever, since its time limit is collected as garbage
 * (nodejs/node#57736).
 */
export async function withLimit<T>(
  signal: AbortSignal,
  limitMs: number,
  work: (limited: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const abort = () => controller.abort();
  const timer = setTimeout(abort, limitMs);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await work(controller.signal);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
  }
}

export function timeout(): SendFailure {
  return new SendFailure('timeout', 'there was no answer in time');
}
