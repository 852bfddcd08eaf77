// The server for agents, which speaks the Model Context Protocol over standard input and output.
// Its tools are those of `@taskgraph/mcp`; branches and the ready list are resources, from a live
// copy of the graph that is opened when a client first asks for one.

import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import {
  ErrorCode,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  McpError,
  ReadResourceRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import type { Calls } from '@taskgraph/client';
import { TaskgraphError, TimeFault } from '@taskgraph/client';
import { branchOf, onOneLine } from '@taskgraph/client/transfer';
import { modelJson, modelLine } from '@taskgraph/mcp/model-text';
import { type AgentService, type CallBody, ToolFailure } from '@taskgraph/mcp/service';
import { createToolServer } from '@taskgraph/mcp/tool-server';
import { CATALOG } from '../catalog.ts';
import type { Context } from '../context.ts';
import { remedyFor } from '../failures.ts';
import { type Graph, graphOf, STATUSES, type Task } from '../graph/graph.ts';
import { childrenOf, readyIn, sortNodes } from '../graph/queries.ts';
import type { LiveCopy } from '../service/local-copy.ts';
import { withTimes } from '../service/times.ts';
import { VERSION } from '../version.ts';

interface AgentServerOptions {
  readonly write: boolean;
}

const READY = 'taskgraph://ready';
const BRANCH = 'taskgraph://branch/';
const JSON_TYPE = 'application/json';
/** Branches on one page of the resource list. */
const MAXIMUM_LISTED = 200;

/** Serves until the client disconnects or the process gets a signal. */
export async function serveAgents(context: Context, options: AgentServerOptions): Promise<void> {
  // A wrong address or token fails here, and not at the first tool.
  await context.request('GET', '/api/me');
  let live: Promise<LiveCopy> | null = null;
  const openLive = () => {
    live ??= context.live();
    return live;
  };
  const server = createAgentServer(context, openLive, options);
  const ended = new Promise<void>((resolve) => {
    server.onclose = resolve;
    process.stdin.once('end', () => resolve());
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
  });
  await server.connect(new StdioServerTransport());
  await ended;
  await server.close();
  await (await (live as Promise<LiveCopy> | null))?.close();
}

function createAgentServer(context: Context, openLive: () => Promise<LiveCopy>, { write }: AgentServerOptions): Server {
  const server = createToolServer({
    version: VERSION,
    context: {
      service: serviceOf(context),
      catalog: CATALOG,
      canWrite: write,
      nowMs: () => Date.now(),
      withTimes: timesIn,
    },
    capabilities: { resources: { listChanged: true } },
    remedyOf: remedyFor,
    onBug(error) {
      const message = onOneLine(error instanceof Error ? error.message : String(error));
      context.output.note(`a tool failed: ${message}`);
      return `error: client.failed\n${message}`;
    },
  });
  const graph = async () => {
    const { nodes, links } = (await openLive()).replica.snapshot();
    return graphOf(nodes.values(), links.values());
  };
  server.setRequestHandler(ListResourcesRequestSchema, async ({ params }) =>
    resourcesOf(await graph(), params?.cursor),
  );
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({
    resourceTemplates: [
      {
        uriTemplate: `${BRANCH}{id}`,
        name: 'branch',
        description: 'A node with everything below it.',
        mimeType: JSON_TYPE,
      },
    ],
  }));
  server.setRequestHandler(ReadResourceRequestSchema, async ({ params: { uri } }) => ({
    contents: [{ uri, mimeType: JSON_TYPE, text: modelJson(contentOf(await graph(), uri), 2) }],
  }));
  return server;
}

/** Calls over REST. A refusal is an answer for the model. */
function serviceOf(context: Context): AgentService {
  return {
    async call(event, payload, options) {
      try {
        const answer = await context.call(event as keyof Calls, payload as never, options);
        return answer as unknown as CallBody;
      } catch (error) {
        if (!(error instanceof TaskgraphError)) throw error;
        const { code, message, details } = error;
        throw new ToolFailure(code, message.slice(code.length + 2), { details });
      }
    },
  };
}

/** Agents may give days, and times on the clock of this computer (IO6). */
function timesIn(event: string, payload: object): object {
  try {
    return withTimes(event, payload);
  } catch (error) {
    throw error instanceof TimeFault
      ? new ToolFailure('bad_request.invalid_time', `The field ${error.message}.`)
      : error;
  }
}

/**
 * A page of resources: the ready list, and a branch for each node with children. The cursor is the
 * id of the last node.
 */
export function resourcesOf(graph: Graph, cursor?: string) {
  const roots = sortNodes(graph.nodes.values()).filter(({ id }) => childrenOf(graph, id).length > 0);
  const from = cursor === undefined ? 0 : roots.findIndex(({ id }) => id === cursor) + 1;
  // The node of the cursor may be gone.
  if (cursor !== undefined && from === 0)
    throw new McpError(ErrorCode.InvalidParams, 'The list has changed: read it again from the start.');
  const page = roots.slice(from, from + MAXIMUM_LISTED);
  const branches = page.map(({ id, title }) => ({
    uri: `${BRANCH}${id}`,
    name: modelLine(title),
    description: `The branch of ${modelJson(title)}.`,
    mimeType: JSON_TYPE,
  }));
  const ready = { uri: READY, name: 'ready', description: 'The tasks that can begin now, by due date.' };
  const last = from + page.length < roots.length ? page.at(-1) : undefined;
  return {
    resources: [...(cursor === undefined ? [{ ...ready, mimeType: JSON_TYPE }] : []), ...branches],
    ...(last === undefined ? {} : { nextCursor: last.id }),
  };
}

function contentOf(graph: Graph, uri: string): object {
  if (uri === READY) return readyIn(graph).map(withStatusName);
  const root = graph.nodes.get(uri.startsWith(BRANCH) ? uri.slice(BRANCH.length) : '');
  if (root === undefined) throw new McpError(ErrorCode.InvalidParams, onOneLine(`There is no resource ${uri}.`));
  const branch = branchOf({ nodes: graph.nodes.values(), links: graph.links.values() }, root.id);
  const nodes = [...branch.nodes].flatMap(({ id }) => graph.nodes.get(id) ?? []);
  const ids = new Set(nodes.map(({ id }) => id));
  return {
    root: root.id,
    nodes: nodes.map(withStatusName),
    links: [...branch.links].filter(({ target }) => ids.has(target)),
  };
}

/** A node with the name of its status, so that agents need not look it up. */
function withStatusName(node: Task): object {
  return { ...node, statusName: STATUSES[node.status] };
}
