// Classifies IP addresses: which are on the public internet, and which the installation opens.
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

type Address = ReturnType<typeof ipaddr.parse>;
export type Network = ReturnType<typeof ipaddr.parseCIDR>;

/**
 * - `public`: unicast on the internet.
 * - `inner`: within an allowed network.
 * - `forbidden`: everything else.
 */
export type AddressClass = 'public' | 'inner' | 'forbidden';

const IPV4_BITS = 32;
const IPV6_BITS = 128;

/** The only block from which the internet's IPv6 unicast addresses come. */
const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3');
/** IPv6 addresses with an IPv4 address in their last 32 bits (RFC 6052). */
const NAT64 = ipaddr.parseCIDR('64:ff9b::/96');
/** Public by their number, but a cloud serves its machines' credentials or settings there. */
const CLOUD_SERVICES: readonly Network[] = [ipaddr.parseCIDR('168.63.129.16/32')];
/** No allowed network opens these, because services without authentication listen there. */
const NEVER_IN_NETWORKS: readonly string[] = ['loopback', 'linkLocal', 'unspecified', 'multicast', 'broadcast'];

/** Parses `10.1.0.0/16`, or a single address. Throws an Error if it is neither. */
export function parseNetwork(text: string): Network {
  const [host = ''] = text.split('/');
  // The parser also takes `10.1` for an address.
  if (isIP(host) === 0) throw new Error(`${host} is not an IP address`);
  if (text.includes('/')) return ipaddr.parseCIDR(text);
  const address = ipaddr.parse(text);
  return [address, address.kind() === 'ipv4' ? IPV4_BITS : IPV6_BITS];
}

/** Classifies an address in its usual form. `protectedNetworks` outweigh `allowedNetworks`. */
export function classOf(
  text: string,
  allowedNetworks: readonly Network[],
  protectedNetworks: readonly Network[] = [],
): AddressClass {
  const address = unwrap(ipaddr.parse(text));
  if (matches(address, protectedNetworks)) return 'forbidden';
  if (isPublic(address)) return 'public';
  if (NEVER_IN_NETWORKS.includes(address.range())) return 'forbidden';
  return matches(address, allowedNetworks) ? 'inner' : 'forbidden';
}

/**
 * The IPv4 address within an IPv6 address that reaches it: mapped, or translated by NAT64. Other
 * forms (6to4, Teredo, IPv4-compatible) are not public and need no unwrapping.
 */
function unwrap(address: Address): Address {
  if (!('parts' in address)) return address;
  if (address.isIPv4MappedAddress()) return address.toIPv4Address();
  if (!address.match(NAT64)) return address;
  return new ipaddr.IPv4(address.toByteArray().slice(-4));
}

function isPublic(address: Address): boolean {
  if (address.range() !== 'unicast' || matches(address, CLOUD_SERVICES)) return false;
  return address.kind() === 'ipv4' || matches(address, [GLOBAL_UNICAST]);
}

function matches(address: Address, networks: readonly Network[]): boolean {
  return networks.some(([network, bits]) => address.kind() === network.kind() && address.match(network, bits));
}
