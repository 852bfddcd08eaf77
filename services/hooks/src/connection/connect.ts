// Connects to the receiver of a message, directly or through the egress proxy.
import { isIP, type LookupFunction, type Socket } from 'node:net';
import { createSecureContext, rootCertificates, type SecureContext } from 'node:tls';
import { type AddressPolicy, portOf } from '../addresses/address-policy.ts';
import { createTunnels, type OpenTunnel } from './proxy-tunnel.ts';
import { openSocket, secureSocket, unlessAborted } from './socket.ts';

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
  if (proxy !== undefined) {
    const openTunnel = createTunnels(proxy, secureContext);
    return (url, signal) => connectThroughProxy({ url, openTunnel, policy, secureContext, signal });
  }
  return async (url, signal) => {
    const addresses = await unlessAborted(policy.resolve(url), signal);
    const target = { port: portOf(url), lookup: lookupOf(addresses) };
    const options = { ...target, autoSelectFamily: true, autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_MS };
    return openSocket(url, { ...options, secureContext, signal });
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
  return secureSocket(url, { socket: tunnel, secureContext, signal });
}
