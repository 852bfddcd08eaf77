// Whose address a request comes from: what proxies say counts only where they are known, and from the right.
import ipaddr from 'ipaddr.js';

type Address = ReturnType<typeof ipaddr.parse>;
type Network = ReturnType<typeof ipaddr.parseCIDR>;

/** The networks of the proxies whose `X-Forwarded-For` is believed. */
export type TrustedProxies = readonly Network[];

/** An address that can't be read; all such count as one. */
const UNKNOWN = 'unknown';
/** Groups of an IPv6 address that make up its /64, which is what one client usually has for itself. */
const CLIENT_GROUPS = 4;

/** Reads a list of addresses and networks such as `10.0.0.0/8, ::1`. Throws an Error where one is wrong. */
export function parseProxies(text: string): TrustedProxies {
  const parts = text.split(',').map((part) => part.trim());
  return parts.filter(Boolean).map((part) => {
    if (part.includes('/')) return ipaddr.parseCIDR(part);
    const address = ipaddr.parse(part);
    return [address, address.kind() === 'ipv4' ? 32 : 128];
  });
}

/**
 * The address by which a client is counted: an IPv4 address, or the /64 of an IPv6 address. `remote` is the other end of the connection,
 * `forwarded` all of its X-Forwarded-For. A client can write into that header what it likes, but only on the left of what the first proxy
 * adds: so it is read from the right, as long as it is a trusted proxy that speaks.
 */
export function clientAddress(remote: string, forwarded: string, trusted: TrustedProxies): string {
  let client = parse(remote);
  const hops = forwarded.split(',').reverse();
  for (const hop of hops) {
    if (client === null || !isTrusted(client, trusted)) break;
    const next = parse(hop.trim());
    if (next === null) break;
    client = next;
  }
  return client === null ? UNKNOWN : counted(client);
}

function parse(text: string): Address | null {
  // An IPv4 address that was mapped into IPv6 is taken for what it is.
  return ipaddr.isValid(text) ? ipaddr.process(text) : null;
}

function isTrusted(address: Address, trusted: TrustedProxies): boolean {
  return trusted.some(([network, bits]) => address.kind() === network.kind() && address.match(network, bits));
}

function counted(address: Address): string {
  if (!('parts' in address)) return address.toString();
  const groups = address.parts.slice(0, CLIENT_GROUPS).map((group) => group.toString(16));
  return `${groups.join(':')}::/64`;
}
