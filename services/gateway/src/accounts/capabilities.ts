// Describes the features and limits of this service to clients that have no account yet. The answer
// names no address and no secret, and is the same for every caller. Rule: CAP1.
import { createHash } from 'node:crypto';
import type { Rates } from '@taskgraph/commands/rate-limits';
import { VERSION } from '@taskgraph/runtime/service/version';
import { BOUNDS } from '@taskgraph/wire/fields';
import { MAXIMUM_OPERATIONS } from '@taskgraph/wire/operations/batch-operations';
import { MOST_NODES } from '@taskgraph/wire/operations/node-read-operations';
import { MOST_PAGE_ENTITIES } from '@taskgraph/wire/operations/read-operations';
import type { Capabilities } from '@taskgraph/wire/public-types';
import { SHORT_PAGE_BYTES } from '../calls/dispatch.ts';
import { type AccountRoute, publicRoute } from './route.ts';

/** The facts about a gateway that are not account settings. */
export interface ServiceFacts {
  /** Whether the page `/docs` is served. */
  readonly docs: boolean;
  /** Whether the console is served. */
  readonly console: boolean;
  /** The rate limits; null if they are off. */
  readonly rates: Rates | null;
}

interface CapabilitiesOptions extends ServiceFacts {
  readonly mayRegister: boolean;
  readonly sendsMail: boolean;
  /** The name of the sign-in provider; null if there is none. */
  readonly provider: string | null;
}

const ETAG_CHARACTERS = 27;

export function capabilitiesRoutes(options: CapabilitiesOptions): readonly AccountRoute[] {
  const body = describe(options);
  const etag = createHash('sha256').update(JSON.stringify(body)).digest('base64url').slice(0, ETAG_CHARACTERS);
  // Weak, because each answer has a trace id of its own.
  const headers = { ETag: `W/"${etag}"`, 'Cache-Control': 'no-cache' };
  return [
    publicRoute({ name: 'capabilities' }, async (_payload, { etags }) =>
      etags.includes(etag) ? { status: 304, body: {}, headers } : { body, headers },
    ),
  ];
}

function describe({ mayRegister, sendsMail, provider, docs, console: hasConsole, rates }: CapabilitiesOptions) {
  return {
    version: VERSION,
    registration: mayRegister,
    mail: sendsMail,
    provider: provider === null ? null : { name: provider },
    docs,
    console: hasConsole,
    limits: {
      rates: rates === null ? null : ratesForPeople(rates),
      bodyBytes: BOUNDS.bodyBytes,
      socketPageBytes: SHORT_PAGE_BYTES,
      pageEntities: MOST_PAGE_ENTITIES,
      nodesById: MOST_NODES,
      batchOperations: MAXIMUM_OPERATIONS,
    },
  } satisfies Omit<Capabilities, 'ok' | 'trace_id'>;
}

function ratesForPeople(rates: Rates): Record<string, { calls: number; seconds: number }> {
  const all = Object.entries(rates);
  return Object.fromEntries(all.map(([name, { points, seconds }]) => [name, { calls: points, seconds }]));
}
