// The dependencies of a command: account, service calls, graph and output.
import { type Calls, type RateLimitWait, type RestClient, rest } from '@taskgraph/client';
import type { Caller } from '@taskgraph/client/transfer';
import { CATALOG, type CatalogCall } from './catalog.ts';
import { CliError, EXIT, exitCodeOf } from './failures.ts';
import { type Graph, graphOf, type Task } from './graph/graph.ts';
import { findNode, isWholeId } from './graph/references.ts';
import type { Output } from './output/output.ts';
import { createProgress } from './output/progress.ts';
import { type LiveCopy, openLiveCopy, readLocalCopy } from './service/local-copy.ts';
import type { Account, Profiles } from './service/profiles.ts';

/** The longest rate limit counts calls per hour. A large file may need several hours. */
const MAXIMUM_RATE_LIMIT_WAIT_MS = 3 * 3_600_000;

/** The maximum age of a local copy that may resolve a reference to a node. */
const RECENT_COPY_MS = 60_000;

/** Options of every command. */
export interface GlobalOptions {
  readonly json?: boolean;
  readonly offline?: boolean;
}

export interface Context {
  readonly output: Output;
  readonly profiles: Profiles;
  account(): Promise<Account>;
  /** The current graph; if the service is unreachable, the local copy with a note on its age. */
  graph(): Promise<Graph>;
  /** The loaded graph, else the local copy, else null. Never calls the service. */
  localGraph(): Promise<Graph | null>;
  live(): Promise<LiveCopy>;
  /** Makes a call over REST. Throws a TaskgraphError. */
  call<E extends keyof Calls>(
    event: E,
    payload: Calls[E]['payload'],
    options?: { readonly idempotencyKey?: string },
  ): Promise<Calls[E]['answer']>;
  /** Calls for imports and batches: with idempotency keys, and with long waits at rate limits. */
  readonly caller: Caller;
  /** A client over REST that waits for rate limits, as imports do. */
  restClient(): Promise<RestClient>;
  /** Requests any route, such as an account route. */
  request<T>(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: object): Promise<T>;
  /** Finds the node to which the words refer. */
  node(reference: string): Promise<Pick<Task, 'id' | 'title'>>;
  /** Prints the result: `value` as JSON with `--json`, else these lines. */
  show(globalOptions: GlobalOptions, value: unknown, lines: () => readonly string[]): void;
}

export function createContext(output: Output, profiles: Profiles, globalOptions: () => GlobalOptions): Context {
  const onRateLimit = ({ what, waitMs }: RateLimitWait) =>
    output.note(`${what}: rate limit reached, waiting ${Math.ceil(waitMs / 1_000)} s`);
  const account = memoize(() => profiles.account());

  async function live(): Promise<LiveCopy> {
    const progress = createProgress(output, 'fetching the graph');
    try {
      return await openLiveCopy(await account(), (nodes) => progress.update(nodes), { onRateLimit });
    } finally {
      progress.end();
    }
  }

  async function onlineGraph(): Promise<Graph> {
    const { replica, close } = await live();
    const { nodes, links } = replica.snapshot();
    const graph = graphOf(nodes.values(), links.values(), replica.username);
    if (replica.truncated)
      output.note('the local copy is incomplete: it has no room for all nodes that you can see; read the others by id');
    await close();
    return graph;
  }

  async function offlineGraph(): Promise<Graph | null> {
    const found = await readLocalCopy(await account());
    if (found !== null) output.note(`offline: as of ${found.asOf.toLocaleString()}`);
    return found?.graph ?? null;
  }

  let isLoaded = false;
  const graph = memoize(async () => {
    isLoaded = true;
    if (globalOptions().offline) return (await offlineGraph()) ?? graphOf([], []);
    try {
      return await onlineGraph();
    } catch (error) {
      if (exitCodeOf(error) !== EXIT.unreachable) throw error;
      const found = await offlineGraph();
      if (found === null) throw error;
      return found;
    }
  });

  async function request<T>(
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    path: string,
    body?: object,
    more: { readonly idempotencyKey?: string } = {},
  ): Promise<T> {
    const { url, token } = await account();
    const parts = Object.entries(body ?? {}).filter(([, value]) => value !== undefined);
    const fields = Object.fromEntries(parts);
    const options = body === undefined ? {} : method === 'GET' ? { query: fields } : { body: fields };
    return rest({ url, token, onRateLimit }).request<T>(method, path, { ...options, ...more } as never);
  }

  async function restClient(): Promise<RestClient> {
    const { url, token } = await account();
    return rest({ url, token, onRateLimit, rateLimitWaitMs: MAXIMUM_RATE_LIMIT_WAIT_MS });
  }

  const caller: Caller = {
    async call(event, payload, { idempotencyKey, dryRun, timeoutMs } = {}) {
      const { method, path } = routeOf(event);
      const options = {
        ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
        ...(timeoutMs === undefined ? {} : { timeoutMs }),
      };
      const body = dryRun === true ? { ...payload, dryRun } : payload;
      const client = await restClient();
      return client.request(
        method,
        path,
        method === 'GET' ? { ...options, query: body as never } : { ...options, body },
      );
    },
  };

  /**
   * The node in a recent local copy; null if the copy is older or lacks the node. This saves a
   * connection, and the service limits their number.
   */
  async function findInRecentCopy(reference: string): Promise<Pick<Task, 'id' | 'title'> | null> {
    if (isLoaded) return null;
    const found = await readLocalCopy(await account());
    if (found === null || Date.now() - found.asOf.getTime() > RECENT_COPY_MS) return null;
    try {
      return findNode(found.graph.nodes.values(), reference);
    } catch (error) {
      if (error instanceof CliError) return null;
      throw error;
    }
  }

  return {
    output,
    profiles,
    account,
    graph,
    localGraph: async () => (isLoaded ? graph() : ((await readLocalCopy(await account()))?.graph ?? null)),
    live,
    request,
    caller,
    restClient,
    async call(event, payload, options) {
      const { method, path } = routeOf(event);
      return request(method, path, payload, options);
    },
    async node(reference) {
      // A complete id needs no graph.
      if (isWholeId(reference)) return { id: reference.toLowerCase(), title: reference };
      return (await findInRecentCopy(reference)) ?? findNode((await graph()).nodes.values(), reference);
    },
    show({ json }, value, lines) {
      if (json) output.json(value, 2);
      else for (const line of lines()) output.line(line);
    },
  };
}

function routeOf(event: string): Pick<CatalogCall, 'method' | 'path'> {
  const found = CATALOG.find((each) => each.event === event);
  if (found === undefined) throw new Error(`the catalog has no ${event}`);
  return found;
}

function memoize<T>(create: () => Promise<T>): () => Promise<T> {
  let promise: Promise<T> | null = null;
  return () => {
    promise ??= create();
    return promise;
  };
}
