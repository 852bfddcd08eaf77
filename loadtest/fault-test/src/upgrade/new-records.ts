// Records that the previous release does not know: a claim and a token with scopes. They are made by this
// release; the previous one must then serve beside them as docs/operations.md says.
import { makeToken } from '@taskgraph/testkit/stack/users';
import type { Anomaly, ClaimAnswer, Command, Version } from '../history/history.ts';
import { type Caller, restCaller } from '../run/callers.ts';
import { callUntilAnswered, type RunUser } from '../run/writer.ts';

interface NewRecordsOptions {
  readonly environment: Readonly<Record<string, string>>;
  readonly urls: readonly [string, string];
  /** A user without other commands. */
  readonly runUser: RunUser;
  readonly commands: Command[];
  readonly claims: ClaimAnswer[];
}

export interface NewRecords {
  /** Reads and changes the claimed node by the previous release. */
  afterRollback(): Promise<Anomaly[]>;
}

const TRIES = 5;
/** Longer than a test. */
const LEASE_MINUTES = 240;
const IN_PROGRESS = 1;

/** Makes the records. All services must be of this release. */
export async function addNewRecords(options: NewRecordsOptions): Promise<NewRecords> {
  const { environment, urls, runUser, commands, claims } = options;
  const caller = restCaller({ name: 'new-records', urls, token: runUser.token });
  const send = async (event: string, payload: Readonly<Record<string, unknown>>, key: string) => {
    const { made, body } = await callUntilAnswered({ caller, runUser }, { event, payload, key, tries: TRIES });
    commands.push(made);
    if (made.outcome.kind !== 'done') throw new Error(`${event} failed: ${JSON.stringify(made.outcome)}`);
    return { made, body, versions: made.outcome.versions };
  };
  const added = await send('node:add', { title: 'claimed-node' }, 'claimed-node');
  const { id } = added.versions[0] as Version;
  const { made, body, versions } = await send('node:claim', { id, lease: LEASE_MINUTES }, 'claim');
  const claim = claimIn(body, id);
  claims.push({ ...made, lease: LEASE_MINUTES, claim });
  const scoped = await makeToken(environment, runUser.email, { scopes: ['read'] });
  const accepted = await statusOf(restCaller({ name: 'scoped', urls, token: scoped }));
  if (accepted !== 'done') throw new Error(`the token with scopes is refused as ${accepted}`);
  return {
    async afterRollback() {
      const renamed = await send('node:update', { id, title: 'claimed-renamed' }, 'claimed-renamed');
      const page = await caller.call('graph:get', { limit: 10 }, null);
      const { nodes = [] } = (page.kind === 'done' ? page.body : {}) as { nodes?: Record<string, unknown>[] };
      const refused = await statusOf(restCaller({ name: 'scoped', urls, token: scoped }));
      return [
        ...expected('the status of a claimed node', nodes.find((node) => node.id === id)?.status, IN_PROGRESS),
        ...expected('the version of a claimed node', renamed.versions[0]?.version, (versions.at(-1)?.version ?? 0) + 1),
        ...expected('the answer to a token with scopes', refused, 'unauthorized'),
      ];
    },
  };
}

interface ClaimBody {
  readonly claimId: string;
  readonly diff: { readonly nodes: readonly { readonly after: { readonly claimUntil?: string | null } }[] };
}

function claimIn(body: unknown, node: string): ClaimAnswer['claim'] {
  const { claimId, diff } = body as ClaimBody;
  return {
    node,
    claimId,
    until: String(diff.nodes.find(({ after }) => typeof after.claimUntil === 'string')?.after.claimUntil),
  };
}

async function statusOf(caller: Caller): Promise<string> {
  const reply = await caller.call('graph:get', { limit: 1 }, null);
  return reply.kind === 'refused' ? reply.code : reply.kind;
}

function expected(what: string, found: unknown, wanted: unknown): Anomaly[] {
  if (found === wanted) return [];
  return [{ kind: 'the previous release serves new records otherwise', what: `${what}: ${String(found)}`, about: [] }];
}
