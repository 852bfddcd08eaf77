// Connects to the receiver of a message, directly or through the egress proxy.
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction, connect as netConnect, type Socket } from 'node:net';
import { createSecureContext, rootCertificates, type SecureContext, connect as tlsConnect } from 'node:tls';
import { type AddressPolicy, hostOf, portOf } from '../addresses/address-policy.ts';
import { failureOf, SendFailure } from '../failure.ts';

/** Addresses of one host that are tried. All of them are checked. */
const MAXIMUM_ADDRESSES = 8;
/** After this time the next address of the host is tried as well. */
const NEXT_ADDRESS_MS = 500;

/** Opens a connection, ready for a request. Rejects with a `SendFailure`, also when the signal is aborted. */
export type Connect = (url: URL, signal: AbortSignal) => Promise<Socket>;

interface ConnectOptions {
  readonly policy: AddressPolicy;
  /** An HTTP proxy through which all messages go. It looks the names up. */
  readonly proxy?: URL | undefined;
  /** PEM text of certificate authorities that count beside Node's. */
  readonly ca?: string | undefined;
}

export function createConnect({ policy, proxy, ca }: ConnectOptions): Connect {
  const secureContext = createSecureContext(ca === undefined ? {} : { ca: [...rootCertificates, ca] });
  if (proxy !== undefined)
    return (url, signal) =>
      connectThroughProxy({ url, openTunnel: tunnelThrough(proxy, secureContext), policy, secureContext, signal });
  return async (url, signal) => {
    const addresses = await unlessAborted(policy.resolve(url), signal);
    const target = { host: hostOf(url), port: portOf(url), lookup: lookupOf(addresses) };
    const options = { ...target, autoSelectFamily: true, autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_MS };
    if (url.protocol !== 'https:') return untilEvent(netConnect(options), 'connect', signal);
    const socket = tlsConnect({ ...options, ...tlsOptions(url, secureContext) });
    return untilEvent(socket, 'secureConnect', signal);
  };
}

/** A look-up that returns the checked addresses. So the connection cannot go to another. */
function lookupOf(addresses: readonly string[]): LookupFunction {
  const found = addresses.slice(0, MAXIMUM_ADDRESSES).map((address) => ({ address, family: isIP(address) }));
  return (_hostname, options, callback) => {
    if (options.all) return callback(null, found);
    callback(null, found[0]?.address ?? '', found[0]?.family);
  };
}

function tlsOptions(url: URL, secureContext: SecureContext) {
  const host = hostOf(url);
  // A certificate's name is compared with `host`. An IP address may not be sent as a server name.
  return {
    secureContext,
    host,
    rejectUnauthorized: true,
    ALPNProtocols: ['http/1.1'],
    ...(isIP(host) === 0 && { servername: host }),
  };
}

/** Opens a connection to a target, as `host:port`, through the proxy. */
type OpenTunnel = (target: string, signal: AbortSignal) => Promise<Socket>;

interface ProxyConnection {
  readonly url: URL;
  readonly openTunnel: OpenTunnel;
  readonly policy: AddressPolicy;
  readonly secureContext: SecureContext;
  readonly signal: AbortSignal;
}

async function connectThroughProxy({
  url,
  openTunnel,
  policy,
  secureContext,
  signal,
}: ProxyConnection): Promise<Socket> {
  await unlessAborted(policy.check(url), signal);
  const tunnel = await openTunnel(`${url.hostname}:${portOf(url)}`, signal);
  if (url.protocol !== 'https:') return tunnel;
  const socket = tlsConnect({ socket: tunnel, ...tlsOptions(url, secureContext) });
  return untilEvent(socket, 'secureConnect', signal);
}

/** Status with which a proxy refuses our own login. */
const LOGIN_REFUSED = 407;

/** A proxy that cannot be reached, or refuses the login, says nothing about the target. */
function tunnelThrough(proxy: URL, secureContext: SecureContext): OpenTunnel {
  const { username, password } = proxy;
  const login = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64');
  const isSecure = proxy.protocol === 'https:';
  return (target, signal) => {
    const request = (isSecure ? httpsRequest : httpRequest)({
      host: hostOf(proxy),
      port: portOf(proxy),
      method: 'CONNECT',
      path: target,
      headers: { host: target, ...(username !== '' && { 'proxy-authorization': `Basic ${login}` }) },
      agent: false,
      ...(isSecure && { secureContext }),
    });
    let isConnected = false;
    const opened = new Promise<Socket>((resolve, reject) => {
      const answered = (status: number | undefined) =>
        new SendFailure('proxy', `the proxy answered ${status}`, { isOwnFault: status === LOGIN_REFUSED });
      request.once('socket', (socket) => {
        socket.once(isSecure ? 'secureConnect' : 'connect', () => {
          isConnected = true;
        });
      });
      request.once('connect', ({ statusCode }, socket, head) => {
        if (statusCode === 200 && head.length === 0) return resolve(socket as Socket);
        socket.destroy();
        reject(answered(statusCode));
      });
      request.once('response', ({ statusCode }) => request.destroy(answered(statusCode)));
      request.once('error', (error) => reject(failureOf(error, 'proxy', !isConnected)));
      request.once('close', () => reject(new SendFailure('proxy', 'the proxy closed the connection')));
      request.end();
    });
    return unlessAborted(opened, signal, () => request.destroy());
  };
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
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal, end: () => void = () => {}): Promise<T> {
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

export function timeout(): SendFailure {
  return new SendFailure('timeout', 'there was no answer in time');
}
