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
const CHECK_TTL_MS = 5_000;

/**
 * Looks names up at the DNS servers, without the hosts file and search domains. The system's own
 * look-up would let a few slow name servers occupy all its threads.
 */
export function createDnsLookup(servers?: readonly string[]): Lookup {
  const resolver = new Resolver({ timeout: QUERY_TIMEOUT_MS, tries: QUERY_TRIES });
  if (servers !== undefined) resolver.setServers(servers);
  let check: { readonly doWork: Promise<boolean>; readonly untilMs: number } | null = null;

  /** Whether the name servers answer at all: each of them can tell those of the root. */
  function doServersWork(): Promise<boolean> {
    if (check === null || performance.now() >= check.untilMs) {
      const doWork = resolver.resolveNs('.').then(
        () => true,
        (error: unknown) => isAbsent(error),
      );
      check = { doWork, untilMs: performance.now() + CHECK_TTL_MS };
    }
    return check.doWork;
  }

  return async (hostname) => {
    const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    if (addresses.length > 0) return addresses;
    const [failure] = answers.map((answer) => lookupFailure((answer as PromiseRejectedResult).reason));
    if (failure?.reason !== 'lookup' || (await doServersWork())) throw failure;
    throw new SendFailure('lookup', 'the name servers do not answer', { cause: failure, isOwnFault: true });
  };
}

/** Looks names up as other programs of this machine do. For names that the operator configured. */
export const lookupConfigured: Lookup = async (hostname) => {
  try {
    return (await systemLookup(hostname, { all: true })).map(({ address }) => address);
  } catch (error) {
    throw lookupFailure(error, true);
  }
};

const ABSENT: readonly unknown[] = ['ENOTFOUND', 'ENODATA'];

function isAbsent(error: unknown): boolean {
  return error instanceof Error && 'code' in error && ABSENT.includes(error.code);
}

/** `isOwn`: a name that cannot be looked up is one of the operator. */
function lookupFailure(cause: unknown, isOwn = false): SendFailure {
  const reason = isAbsent(cause) ? 'unresolved' : 'lookup';
  return new SendFailure(reason, 'the name has no addresses', { cause, isOwnFault: isOwn && reason === 'lookup' });
}
