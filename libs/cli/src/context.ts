// All that a command needs: who asks, where to, the graph, and how to answer people or programs.
import { type Calls, type RateLimitWait, rest } from '@taskgraph/client';
import type { Caller } from '@taskgraph/client/transfer';
import { CATALOG, type CatalogCall } from './catalog.ts';
import { CliError, EXIT, exitCodeOf } from './failures.ts';
import { type Graph, graphOf, type Task } from './graph/graph.ts';
import { findNode, isWholeId } from './graph/references.ts';
import type { Output } from './output/output.ts';
import { progressOn } from './output/progress.ts';
import { type LiveCopy, openLive, readKept } from './service/copy.ts';
import type { Account, Profiles } from './service/profiles.ts';

/** The longest limit of the service is of an hour, and large files need more calls than one of them has. */
const LONGEST_LIMIT_WAIT_MS = 3 * 3_600_000;

/** A copy that is not older serves to tell which node words stand for. */
const RECENT_MS = 60_000;

/** Options that every command has. */
export interface Shared {
  readonly json?: boolean;
  readonly offline?: boolean;
}

export interface Context {
  readonly output: Output;
  readonly profiles: Profiles;
  account(): Promise<Account>;
  /** The graph, up to date where the service can be reached; else the copy that is here, with a note on its age. */
  graph(): Promise<Graph>;
  /** The graph as far as it is here, without asking the service; null where it is not. */
  known(): Promise<Graph | null>;
  live(): Promise<LiveCopy>;
  /** Makes a call over REST. Throws a TaskgraphError. */
  call<E extends keyof Calls>(event: E, payload: Calls[E]['payload']): Promise<Calls[E]['answer']>;
  /** Makes calls with keys, for as long as their limits ask to wait: those of files. */
  readonly caller: Caller;
  /** Any route, such as those of accounts. */
  request<T>(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: object): Promise<T>;
  /** The node that the words stand for. */
  node(words: string): Promise<Pick<Task, 'id' | 'title'>>;
  /** The result: for programs as JSON, for people by these lines. */
  show(shared: Shared, value: unknown, lines: () => readonly string[]): void;
}

export function contextOf(output: Output, profiles: Profiles, shared: () => Shared): Context {
  const onRateLimit = ({ what, waitMs }: RateLimitWait) =>
    output.note(`${what}: waiting ${Math.ceil(waitMs / 1_000)} s, as the service asks`);
  const account = once(() => profiles.account());

  async function live(): Promise<LiveCopy> {
    const progress = progressOn(output, 'fetching the graph');
    try {
      return await openLive(await account(), (nodes) => progress.at(nodes), { onRateLimit });
    } finally {
      progress.end();
    }
  }

  async function fresh(): Promise<Graph> {
    const { replica, close } = await live();
    const { nodes, links } = replica.snapshot();
    const graph = graphOf(nodes.values(), links.values());
    if (replica.truncated) output.note('more was granted to you than is shown: read what is missing by its id');
    await close();
    return graph;
  }

  async function kept(): Promise<Graph | null> {
    const found = await readKept(await account());
    if (found !== null) output.note(`offline: as of ${found.asOf.toLocaleString()}`);
    return found?.graph ?? null;
  }

  let isRead = false;
  const graph = once(async () => {
    isRead = true;
    if (shared().offline) return (await kept()) ?? graphOf([], []);
    try {
      return await fresh();
    } catch (error) {
      if (exitCodeOf(error) !== EXIT.unreachable) throw error;
      const found = await kept();
      if (found === null) throw error;
      return found;
    }
  });

  async function request<T>(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: object): Promise<T> {
    const { url, token } = await account();
    const parts = Object.entries(body ?? {}).filter(([, value]) => value !== undefined);
    const fields = Object.fromEntries(parts);
    const options = body === undefined ? {} : method === 'GET' ? { query: fields } : { body: fields };
    return rest({ url, token, onRateLimit }).request<T>(method, path, options as never);
  }

  const caller: Caller = {
    async call(event, payload, { idempotencyKey, dryRun, timeoutMs } = {}) {
      const { url, token } = await account();
      const { method, path } = routeOf(event);
      const options = {
        ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
        ...(timeoutMs === undefined ? {} : { timeoutMs }),
      };
      const body = dryRun === true ? { ...payload, dryRun } : payload;
      const patient = rest({ url, token, onRateLimit, rateLimitWaitMs: LONGEST_LIMIT_WAIT_MS });
      return patient.request(
        method,
        path,
        method === 'GET' ? { ...options, query: body as never } : { ...options, body },
      );
    },
  };

  /** The node in a copy of this moment; null where it is older, or has no such node: each look at the service is a connection, of which it bounds the number. */
  async function recently(words: string): Promise<Pick<Task, 'id' | 'title'> | null> {
    if (isRead) return null;
    const found = await readKept(await account());
    if (found === null || Date.now() - found.asOf.getTime() > RECENT_MS) return null;
    try {
      return findNode(found.graph.nodes.values(), words);
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
    known: async () => (isRead ? graph() : ((await readKept(await account()))?.graph ?? null)),
    live,
    request,
    caller,
    async call(event, payload) {
      const { method, path } = routeOf(event);
      return request(method, path, payload);
    },
    async node(words) {
      // A whole id needs no graph.
      if (isWholeId(words)) return { id: words.toLowerCase(), title: words };
      return (await recently(words)) ?? findNode((await graph()).nodes.values(), words);
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

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | null = null;
  return () => {
    made ??= make();
    return made;
  };
}
