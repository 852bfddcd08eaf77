// Decides to which addresses messages may be sent (HOOK9).
import { isIP } from 'node:net';
import { SendFailure } from '../failure.ts';
import { classOf, type Network, parseNetwork } from './address-class.ts';
import type { Lookup } from './lookup.ts';

/** The longest time in which a changed address of a protected host is not noticed. */
const PROTECTED_TTL_MS = 5_000;
/** How long the last known addresses count while the name servers fail. */
const PROTECTED_KNOWN_MS = 600_000;

export interface PolicySettings {
  /** Host names as in a URL, with or without a port, to which everything may be sent. */
  readonly allowedHosts: readonly string[];
  readonly allowedNetworks: readonly Network[];
  /** Hosts to which messages are sent only if `allowedHosts` has them. */
  readonly protectedHosts: readonly string[];
}

/** The look-ups of a policy. */
export interface Lookups {
  /** For hosts that users choose. */
  readonly dns: Lookup;
  /** For allowed and protected hosts. */
  readonly configured: Lookup;
}

export interface AddressPolicy {
  /** Whether the settings name this host. */
  isAllowedHost(url: URL): boolean;
  /**
   * The addresses of the URL's host, all of which may be connected to. Throws a `SendFailure` if
   * one may not be, if there is none, or if the URL lacks TLS and the target is not an allowed one.
   */
  resolve(url: URL): Promise<readonly string[]>;
  /**
   * Checks what can be checked without a look-up, for a proxy that looks names up itself. Throws a
   * `SendFailure`.
   */
  check(url: URL): Promise<void>;
}

/** `nowMs` is a monotonic clock. */
export function createAddressPolicy(
  settings: PolicySettings,
  { dns, configured }: Lookups,
  nowMs: () => number = () => performance.now(),
): AddressPolicy {
  const { allowedNetworks } = settings;
  const allowedHosts = new Set(settings.allowedHosts);
  let protectedCache: { readonly networks: Promise<readonly Network[]>; readonly untilMs: number } | null = null;
  let known: { readonly networks: readonly Network[]; readonly untilMs: number } | null = null;

  function protectedNetworks(): Promise<readonly Network[]> {
    if (protectedCache === null || nowMs() >= protectedCache.untilMs) {
      protectedCache = { networks: findProtected(), untilMs: nowMs() + PROTECTED_TTL_MS };
      protectedCache.networks.catch(() => {
        protectedCache = null;
      });
    }
    return protectedCache.networks;
  }

  /** Without them nothing can be sent, whatever the receiver is. */
  async function findProtected(): Promise<readonly Network[]> {
    try {
      const networks = await resolveProtected(settings.protectedHosts, configured);
      known = { networks, untilMs: nowMs() + PROTECTED_KNOWN_MS };
      return networks;
    } catch (cause) {
      if (known !== null && nowMs() < known.untilMs) return known.networks;
      throw new SendFailure('lookup', 'a protected host cannot be looked up', { cause, isOwnFault: true });
    }
  }

  async function checkAddresses(url: URL, addresses: readonly string[]): Promise<void> {
    const networks = await protectedNetworks();
    const classes = addresses.map((address) => classOf(address, allowedNetworks, networks));
    if (classes.includes('forbidden')) throw new SendFailure('forbidden', 'an address is not public');
    if (url.protocol !== 'https:' && classes.includes('public')) throw withoutTls();
  }

  const isAllowedHost = (url: URL) =>
    allowedHosts.has(url.hostname) || allowedHosts.has(`${url.hostname}:${portOf(url)}`);

  return {
    isAllowedHost,
    async resolve(url) {
      const hostname = hostOf(url);
      const isAllowed = isAllowedHost(url);
      const lookup = isAllowed ? configured : dns;
      const addresses = isIP(hostname) === 0 ? await lookup(hostname) : [hostname];
      if (!isAllowed) await checkAddresses(url, addresses);
      return addresses;
    },
    async check(url) {
      if (isAllowedHost(url)) return;
      const hostname = hostOf(url);
      if (isIP(hostname) !== 0) await checkAddresses(url, [hostname]);
      else if (url.protocol !== 'https:') throw withoutTls();
    },
  };
}

/** The host without the brackets of an IPv6 address. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '');
}

export function portOf({ port, protocol }: URL): number {
  if (port !== '') return Number(port);
  return protocol === 'https:' ? 443 : 80;
}

/**
 * The addresses of the protected hosts. A name that does not exist has none. Rejects if a name
 * server fails, because the addresses are unknown then.
 */
async function resolveProtected(hosts: readonly string[], lookup: Lookup): Promise<readonly Network[]> {
  const addresses = await Promise.all(
    hosts.map(async (host) => (isIP(host) === 0 ? lookup(host).catch(noneIfAbsent) : [host])),
  );
  return addresses.flat().map(parseNetwork);
}

function noneIfAbsent(error: unknown): readonly string[] {
  if (error instanceof SendFailure && error.reason === 'unresolved') return [];
  throw error;
}

function withoutTls(): SendFailure {
  return new SendFailure('forbidden', 'a URL without TLS is only for an allowed target');
}
