// The client address of a request. X-Forwarded-For counts only if a trusted proxy sent it, and is
// read from the right.
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

type Address = ReturnType<typeof ipaddr.parse>;
type Network = ReturnType<typeof ipaddr.parseCIDR>;

/** The proxies whose `X-Forwarded-For` is believed. */
export interface TrustedProxies {
  readonly networks: readonly Network[];
  /**
   * The number of proxies that a request passes in a row. A client may have invented addresses
   * further left.
   */
  readonly hops: number;
}

/** Replaces unreadable addresses, which count as one client. */
const UNKNOWN = 'unknown';
/** The groups of an IPv6 address in its /64, which usually belongs to one client. */
const CLIENT_GROUPS = 4;
/** The longest possible address: IPv6 with an IPv4 end, a zone, brackets and a port. */
const LONGEST_HOP = 100;

/**
 * Parses a list of addresses and networks such as `10.1.7.0/24, ::1`. Throws an Error if one is
 * wrong.
 */
export function parseNetworks(text: string): readonly Network[] {
  const parts = text.split(',').map((part) => part.trim());
  return parts.filter(Boolean).map((part) => {
    if (part.includes('/')) return ipaddr.parseCIDR(part);
    const address = ipaddr.parse(part);
    return [address, address.kind() === 'ipv4' ? 32 : 128];
  });
}

/**
 * The address by which a client is counted: an IPv4 address, or the /64 of an IPv6 address.
 * `remote` is the other end of the connection, `forwarded` its whole X-Forwarded-For. A client can
 * put any text into that header, but only to the left of the first proxy's entry. So the header is
 * read from the right while the sender is a trusted proxy, and at most `hops` entries: a client
 * whose own address is trusted could otherwise invent another.
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

/** Some proxies add the client's port: `1.2.3.4:5678`, `[::1]:80`. */
function parse(text: string): Address | null {
  if (text.length > LONGEST_HOP) return null;
  const bare = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(text)?.[1] ?? /^([\d.]+):\d{1,5}$/.exec(text)?.[1] ?? text;
  // Only the usual forms: `1` and `0x7f.1` are not addresses here. An IPv4 address mapped into IPv6
  // becomes IPv4 again.
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
