// Looks up the addresses of a host.
import { Resolver, lookup as systemLookup } from 'node:dns/promises';
import { SendFailure } from '../failure.ts';

/**
 * Looks up all addresses of a name. Throws a `SendFailure`: `unresolved` if there are none, and
 * `lookup` if they cannot be found out.
 */
export type Lookup = (hostname: string) => Promise<readonly string[]>;

const QUERY_TIMEOUT_MS = 2_000;
const QUERY_TRIES = 2;

/**
 * Looks names up at the DNS servers, without the hosts file and search domains. The system's own
 * look-up would let a few slow name servers occupy all its threads.
 */
export function createDnsLookup(servers?: readonly string[]): Lookup {
  const resolver = new Resolver({ timeout: QUERY_TIMEOUT_MS, tries: QUERY_TRIES });
  if (servers !== undefined) resolver.setServers(servers);
  return async (hostname) => {
    const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    if (addresses.length > 0) return addresses;
    throw answers.map((answer) => lookupFailure((answer as PromiseRejectedResult).reason))[0];
  };
}

/** Looks names up as other programs of this machine do. For names that the operator configured. */
export const lookupConfigured: Lookup = async (hostname) => {
  try {
    return (await systemLookup(hostname, { all: true })).map(({ address }) => address);
  } catch (error) {
    throw lookupFailure(error);
  }
};

const ABSENT: readonly unknown[] = ['ENOTFOUND', 'ENODATA'];

function lookupFailure(error: unknown): SendFailure {
  const isAbsent = error instanceof Error && 'code' in error && ABSENT.includes(error.code);
  return new SendFailure(isAbsent ? 'unresolved' : 'lookup', 'the name has no addresses', error);
}
