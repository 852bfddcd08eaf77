// Services with one protection disabled. The fault test must find each of them; otherwise its
// success proves nothing.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { REPOSITORY } from '@taskgraph/launcher/backends/backends';
import type { Fault } from '@taskgraph/testkit/faults';

interface MutantExpectation {
  /** The scheduled faults that reveal it. */
  readonly only: string;
  /** The anomaly that the checks must find. */
  readonly found: string;
}

/** A fault in a source file; the built module contains the same text. */
type SourceMutant = MutantExpectation & Fault;

/**
 * A library loaded into every program before all others, backends included, which replaces system
 * calls.
 */
interface PreloadedMutant extends MutantExpectation {
  readonly preload: string;
  /** The time of undisturbed work before its only fault: a backend may not start a second time. */
  readonly workMs: number;
}

type Mutant = SourceMutant | PreloadedMutant;

/** Variables for every service, and a function that removes the mutant's files. */
interface Mutation {
  readonly environment: Readonly<Record<string, string>>;
  clear(): void;
}

export const MUTANTS: Readonly<Record<string, Mutant>> = {
  'idempotency keys are not stored': {
    only: 'cut gateway,silent gateway,reset gateway,kill gateway',
    found: 'a command was executed twice',
    file: 'libs/commands/src/pipeline/command.ts',
    find: 'key: message.key === null ? message.id :',
    replace: 'key: message.id !== null ? message.id :',
  },
  'owners are not locked': {
    only: 'slow neo4j,restart worker',
    found: 'a feed has a hole or a number twice',
    file: 'libs/graph-store/src/commit/lock.ts',
    find: 'SET u.lock = true\nWITH u\n',
    replace: 'WITH u\n',
  },
  'cached revisions are not checked': {
    only: 'slow neo4j,pause worker',
    found: 'a feed has a hole or a number twice',
    file: 'libs/graph-store/src/commit/write-statement.ts',
    find: 'u.rev = row.rev AND u.lastTs = row.lastTs',
    replace: 'true',
  },
  'a returning reader receives no missed changes': {
    only: 'cut gateway,reset gateway',
    found: 'a replica differs from the store',
    file: 'services/worker/src/reads/changes/read-changes.ts',
    find: 'since: since[feed]',
    replace: 'since: heads[feed]',
  },
  'a socket stays in its room after its access ends': {
    only: 'slow nats',
    // Found mostly with users whose grant was restored.
    found: 'a slice was pushed twice',
    file: 'services/gateway/src/realtime/feed-channel.ts',
    find: 'void subscriber.socket.leave(roomOf(subscriber.audience.kind, this.feed));',
    replace: 'void 0;',
  },
  'a stale cached page is served': {
    only: 'restart jobs',
    found: 'a page matches no moment',
    file: 'services/worker/src/reads/cache/page-cache.ts',
    find: 'digest(JSON.stringify([access, some, some.map((id) => found.get(id))]));',
    replace: 'digest(JSON.stringify([some]));',
  },
  'claims take nodes that are claimed': {
    only: 'slow neo4j,restart worker',
    found: 'two claims have a node at once',
    file: 'libs/commands/src/rules/claims.ts',
    find: 'return claimUntil !== null && claimUntil > now;',
    replace: 'return false;',
  },
  'commands of ended claims are executed': {
    only: 'slow neo4j,restart worker',
    found: 'a command of an ended claim was executed',
    file: 'libs/commands/src/rules/claims.ts',
    find: 'return isOwn && isClaimed(node, context) ? null : claimEnded(node);',
    replace: 'return isOwn ? null : claimEnded(node);',
  },
  'the keys of claims are not stored': {
    only: 'slow neo4j,restart worker',
    found: 'a repeated claim got another node',
    file: 'libs/commands/src/pipeline/command.ts',
    find: 'key: message.key === null ? message.id :',
    replace: "key: message.key === null || message.event === 'node:claim' ? message.id :",
  },
  'a webhook receives the batches of a message in reverse order': {
    only: 'kill jobs,restart hooks',
    found: 'a webhook received batches out of order',
    file: 'services/worker/src/reads/webhooks/webhook-message.ts',
    find: 'events.push(bytes > most ?',
    replace: 'events.unshift(bytes > most ?',
  },
  'a webhook receives no changes of shared branches': {
    only: 'kill jobs,restart hooks',
    found: 'a webhook missed a change of a shared branch',
    file: 'services/worker/src/reads/webhooks/webhook-message.ts',
    find: 'readRange(source, missed, fixed !== null)',
    replace: "readRange(source, missed.filter(({ feed }) => feed.startsWith('user:')), fixed !== null)",
  },
  'a webhook moves on after a failed attempt': {
    only: 'kill jobs,restart hooks',
    found: 'a webhook missed a change',
    file: 'services/jobs/src/webhooks/run.ts',
    find: "answer.outcome === 'delivered' ? storeSuccess",
    replace: 'answer.outcome !== null ? storeSuccess',
  },
  'a webhook receives what happened before its user gained access': {
    only: 'kill jobs,restart hooks',
    found: 'a webhook received a change of a time without access',
    file: 'services/worker/src/reads/webhooks/webhook-range.ts',
    find: '=> !openings.has(feed)',
    replace: '=> feed !== null',
  },
  'a message about due dates lacks its first node': {
    only: 'kill jobs,restart hooks',
    found: 'a webhook missed a due date',
    file: 'libs/domain/src/webhooks/due-events.ts',
    find: '{ events: [...events] }',
    replace: '{ events: events.slice(1) }',
  },
  'each attempt of a message about due dates has another id': {
    only: 'kill jobs,restart hooks',
    found: 'a due date came again with another id',
    file: 'services/jobs/src/webhooks/message.ts',
    find: 'const signed = webhookHeaders({ id,',
    replace: "const signed = webhookHeaders({ id: type === 'graph.due' ? id + nowMs : id,",
  },
  // fsync, fdatasync and msync do nothing and report success.
  'commits are not forced to the disk': {
    only: 'power',
    found: 'an acknowledged command is lost',
    preload: 'libeatmydata.so',
    // The system itself writes data that is half a minute old. By then accounts and other early
    // data are on the disk, and losses are harder to find.
    workMs: 45_000,
  },
};

export function mutation(mutant: Mutant): Mutation {
  return 'preload' in mutant ? preloadLibrary(mutant.preload) : mutateSource(mutant);
}

/**
 * All programs that this process starts from now on load it. Throws if it cannot be loaded, because
 * the loader would continue without it.
 */
function preloadLibrary(library: string): Mutation {
  const { error, stderr } = spawnSync('true', { env: { ...process.env, LD_PRELOAD: library }, encoding: 'utf8' });
  if (error !== undefined || stderr !== '')
    throw new Error(`${library} can't be loaded (${error?.message ?? stderr.trim()}): install Debian's libeatmydata1`);
  process.env.LD_PRELOAD = library;
  return { environment: {}, clear: () => void delete process.env.LD_PRELOAD };
}

function mutateSource({ file, find, replace }: Fault): Mutation {
  const folder = mkdtempSync(join(tmpdir(), 'taskgraph-mutant-'));
  const built = join(REPOSITORY, file.replace('/src/', '/dist/').replace(/\.ts$/, '.js'));
  const [loader, entry] = ['loader.mjs', 'entry.mjs'].map((name) => join(folder, name));
  writeFileSync(
    entry as string,
    `import { register } from 'node:module';\nregister('./loader.mjs', import.meta.url);\n`,
  );
  writeFileSync(
    loader as string,
    `const [file, find, replacement] = ${JSON.stringify([`file://${built}`, find, replace])};
export async function load(url, context, next) {
  const loaded = await next(url, context);
  if (url !== file) return loaded;
  const parts = String(loaded.source).split(find);
  if (parts.length !== 2) throw new Error('the text of the fault occurs ' + (parts.length - 1) + ' times in ' + file);
  return { ...loaded, source: parts.join(replacement) };
}
`,
  );
  const clear = () => rmSync(folder, { recursive: true, force: true });
  return { environment: { NODE_OPTIONS: `--import=file://${entry}` }, clear };
}
