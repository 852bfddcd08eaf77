// The client address of a request: words of proxies count only where they are known, and from the right.
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

type Address = ReturnType<typeof ipaddr.parse>;
type Network = ReturnType<typeof ipaddr.parseCIDR>;

/** The proxies whose `X-Forwarded-For` is believed. */
export interface TrustedProxies {
  readonly networks: readonly Network[];
  /** Proxies that a request passes, one behind the other. An address further left may be a client's invention. */
  readonly hops: number;
}

/** An address that can't be read; all such count as one. */
const UNKNOWN = 'unknown';
/** Groups of an IPv6 address that make up its /64, which is what one client usually has for itself. */
const CLIENT_GROUPS = 4;
/** The longest of what may be an address: IPv6 with an IPv4 end, a zone, brackets and a port. */
const LONGEST_HOP = 100;

/** Reads a list of addresses and networks such as `10.1.7.0/24, ::1`. Throws an Error where one is wrong. */
export function parseNetworks(text: string): readonly Network[] {
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
 * adds: so it is read from the right, as long as it is a trusted proxy that speaks, and no further than there are proxies. Else a client
 * whose own address is one of the trusted could make up another.
 */
export function clientAddress(remote: string, forwarded: string, { networks, hops }: TrustedProxies): string {
  let client = parse(remote);
  let rest = forwarded;
  for (let hop = 0; hop < hops && client !== null && isTrusted(client, networks); hop++) {
    const comma = rest.lastIndexOf(',');
    const next = parse(rest.slice(comma + 1).trim());
    if (next === null) break;
    client = next;
    rest = rest.slice(0, Math.max(0, comma));
  }
  return client === null ? UNKNOWN : counted(client);
}

/** Some proxies add the port from which the client has come: `1.2.3.4:5678`, `[::1]:80`. */
function parse(text: string): Address | null {
  if (text.length > LONGEST_HOP) return null;
  const bare = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(text)?.[1] ?? /^([\d.]+):\d{1,5}$/.exec(text)?.[1] ?? text;
  // Only the usual forms: others read `1` or `0x7f.1` as addresses too. An IPv4 address that was mapped into IPv6 is taken for what it is.
  return isIP(bare) === 0 ? null : ipaddr.process(bare);
}

function isTrusted(address: Address, networks: readonly Network[]): boolean {
  return networks.some(([network, bits]) => address.kind() === network.kind() && address.match(network, bits));
}

function counted(address: Address): string {
  if (!('parts' in address)) return address.toString();
  const groups = address.parts.slice(0, CLIENT_GROUPS).map((group) => group.toString(16));
  return `${groups.join(':')}::/64`;
}
