// All that a command needs: who asks, where to, the graph, and how to answer people or programs.
import { type Calls, type RateLimitWait, rest } from '@taskgraph/client';
import { CATALOG } from './catalog.ts';
import { CliError, EXIT, exitCodeOf } from './failures.ts';
import { type Graph, graphOf, type Task } from './graph/graph.ts';
import { findNode, isWholeId } from './graph/references.ts';
import type { Output } from './output/output.ts';
import { progressOn } from './output/progress.ts';
import { type LiveCopy, openLive, readKept } from './service/copy.ts';
import type { Account, Profiles } from './service/profiles.ts';

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
    async call(event, payload) {
      const found = CATALOG.find((each) => each.event === event);
      if (found === undefined) throw new Error(`the catalog has no ${event}`);
      return request(found.method, found.path, payload);
    },
    async node(words) {
      // A whole id needs no graph.
      if (isWholeId(words)) return { id: words.toLowerCase(), title: words };
      return (await recently(words)) ?? findNode((await graph()).nodes.values(), words);
    },
    show({ json }, value, lines) {
      if (json) output.line(JSON.stringify(value, null, 2));
      else for (const line of lines()) output.line(line);
    },
  };
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | null = null;
  return () => {
    made ??= make();
    return made;
  };
}
