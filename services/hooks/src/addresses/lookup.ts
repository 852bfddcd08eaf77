// Looks up the addresses of a host.
import { Resolver, lookup as systemLookup } from 'node:dns/promises';
import { SendFailure } from '../failure.ts';
import { createSharedCheck } from '../shared-check.ts';

/**
 * Looks up all addresses of a name. Throws a `SendFailure`: `unresolved` if there are none, and
 * `lookup` if they cannot be found out.
 */
export type Lookup = (hostname: string) => Promise<readonly string[]>;

/** The second try of a query waits twice as long, so a silent server takes 6 s. */
const QUERY = { timeout: 2_000, tries: 2 };
/** Milliseconds of a look-up after which the name servers are checked. */
const CHECK_AFTER_MS = 2_000;

/**
 * Looks names up at the DNS servers, without the hosts file and search domains. The system's own
 * look-up would let a few slow name servers occupy all its threads.
 *
 * If no server answers, it rejects with a fault of the installation after 8 s, however many servers
 * there are.
 */
export function createDnsLookup(servers?: readonly string[]): Lookup {
  const resolver = new Resolver(QUERY);
  if (servers !== undefined) resolver.setServers(servers);
  const isAnyServerUp = createServerCheck(resolver.getServers());
  return (hostname) =>
    new Promise((resolve, reject) => {
      const rejectUnlessUp = async () => {
        if (await isAnyServerUp()) return;
        reject(new SendFailure('lookup', 'no name server answers', { isInstallationFault: true }));
      };
      const timer = setTimeout(() => void rejectUnlessUp(), CHECK_AFTER_MS);
      resolveAddresses(resolver, hostname)
        .then(resolve, async (failure: SendFailure) => {
          if (isSilence(failure.cause)) await rejectUnlessUp();
          reject(failure);
        })
        .finally(() => clearTimeout(timer));
    });
}

async function resolveAddresses(resolver: Resolver, hostname: string): Promise<readonly string[]> {
  const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  if (addresses.length > 0) return addresses;
  const causes = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason] : []));
  throw lookupFailure(causes.find((cause) => !isAbsent(cause)) ?? causes[0]);
}

/**
 * Whether one of these servers answers. Each answer counts, also a refusal: some servers resolve only
 * the names of some zones, and a look-up may fail because of the servers of its zone.
 */
function createServerCheck(servers: readonly string[]): () => Promise<boolean> {
  const resolvers = servers.map((server) => {
    const resolver = new Resolver(QUERY);
    resolver.setServers([server]);
    return resolver;
  });
  return createSharedCheck(async () => {
    const answers = resolvers.map((resolver) =>
      resolver.resolveNs('.').catch((error: unknown) => {
        if (isSilence(error)) throw error;
      }),
    );
    return Promise.any(answers).then(
      () => true,
      () => false,
    );
  });
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
const SILENT: readonly unknown[] = ['ETIMEOUT', 'ECONNREFUSED'];

function isAbsent(error: unknown): boolean {
  return error instanceof Error && 'code' in error && ABSENT.includes(error.code);
}

/** Whether no server has answered the query. */
function isSilence(error: unknown): boolean {
  return error instanceof Error && 'code' in error && SILENT.includes(error.code);
}

/** A failure to look up a configured name is a fault of the installation, unless the name does not exist. */
function lookupFailure(cause: unknown, isConfigured = false): SendFailure {
  const reason = isAbsent(cause) ? 'unresolved' : 'lookup';
  const isInstallationFault = isConfigured && reason === 'lookup';
  return new SendFailure(reason, 'the name has no addresses', { cause, isInstallationFault });
}
