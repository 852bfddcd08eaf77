// The server for agents, which speaks the Model Context Protocol over standard input and output.
// Each call of the catalog is a tool; branches and the ready list are resources. Without `write`,
// only reads are tools.

import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import {
  CallToolRequestSchema,
  ErrorCode,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  McpError,
  ReadResourceRequestSchema,
  type Tool,
} from '@modelcontextprotocol/sdk/types.js';
import type { Calls } from '@taskgraph/client';
import { TaskgraphError, TimeFault } from '@taskgraph/client';
import { branchOf, jsonText, onOneLine } from '@taskgraph/client/transfer';
import { CATALOG, type CatalogCall } from '../catalog.ts';
import type { Context } from '../context.ts';
import { remedyOf } from '../failures.ts';
import { type Graph, graphOf, STATUSES, type Task } from '../graph/graph.ts';
import { childrenOf, readyIn, sortNodes } from '../graph/queries.ts';
import type { LiveCopy } from '../service/local-copy.ts';
import { withTimes } from '../service/times.ts';

interface AgentServerOptions {
  readonly write: boolean;
}

const READY = 'taskgraph://ready';
const BRANCH = 'taskgraph://branch/';
const JSON_TYPE = 'application/json';
/** Calls that only add entities. */
const ADDITIVE: ReadonlySet<string> = new Set(['node:add', 'link:add']);
/** Branches on one page of the resource list. */
const MAXIMUM_LISTED = 200;

const INSTRUCTIONS = `Taskgraph stores tasks as nodes and their dependencies as links: a link leads from a child, the source, to its parent, the target. A primary
link (type 0) blocks its target until its source is completed. Statuses: 0 Available, 1 InProgress, 2 Blocked, 3 Completed; Blocked follows from links alone.
A due date may be a day: write dueDate as 2026-12-24. It is stored as 2026-12-24T23:59:59.000Z, which stands for that day in every time zone. Other times need a clock,
such as 2026-12-24T18:00:00Z; without an offset the clock is that of this computer.`;

/** The name of a call's tool. Tool names cannot contain colons. */
function toolName(event: string): string {
  return event.replaceAll(':', '_');
}

/** The tools of the catalog: all, or only reads. */
function toolsOf({ write }: AgentServerOptions): Tool[] {
  return CATALOG.filter(({ changes }) => write || !changes).map(toolOf);
}

function toolOf({ event, changes, summary, description, fields }: CatalogCall): Tool {
  return {
    name: toolName(event),
    title: summary,
    description: `${summary} ${description}`,
    inputSchema: fields,
    annotations: {
      readOnlyHint: !changes,
      // Any other mutation may change or remove something, so clients ask people first.
      destructiveHint: changes && !ADDITIVE.has(event),
      // Each tool call gets a new idempotency key, so a repeated mutation takes effect twice.
      idempotentHint: !changes,
      openWorldHint: false,
    },
  };
}

/** Serves until the client disconnects or the process gets a signal. */
export async function serveAgents(context: Context, options: AgentServerOptions): Promise<void> {
  const live = await context.live();
  const server = createAgentServer(context, live, options);
  const ended = new Promise<void>((resolve) => {
    server.onclose = resolve;
    process.stdin.once('end', () => resolve());
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
  });
  await server.connect(new StdioServerTransport());
  await ended;
  await server.close();
  await live.close();
}

/** Creates the server. It reads resources from the live copy of the graph. */
function createAgentServer(context: Context, { replica }: LiveCopy, options: AgentServerOptions): Server {
  const server = new Server(
    { name: 'taskgraph', version: '0.1.0' },
    { capabilities: { tools: {}, resources: { listChanged: true } }, instructions: INSTRUCTIONS },
  );
  const tools = toolsOf(options);
  const graph = () => {
    const { nodes, links } = replica.snapshot();
    return graphOf(nodes.values(), links.values());
  };
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
    const call = CATALOG.find(({ event }) => toolName(event) === params.name);
    if (call === undefined || !tools.some(({ name }) => name === params.name)) {
      const why = call === undefined ? 'There is no such tool' : 'This server only reads: start it with --write for';
      throw new McpError(ErrorCode.InvalidParams, onOneLine(`${why}: ${params.name}`));
    }
    return answerOf(() => context.call(call.event as keyof Calls, payloadOf(call, params.arguments ?? {}) as never));
  });
  server.setRequestHandler(ListResourcesRequestSchema, ({ params }) => resourcesOf(graph(), params?.cursor));
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
  server.setRequestHandler(ReadResourceRequestSchema, ({ params: { uri } }) => ({
    contents: [{ uri, mimeType: JSON_TYPE, text: jsonText(contentOf(graph(), uri), 2) }],
  }));
  return server;
}

/** Agents may give days, and times on the clock of this computer (IO6). */
function payloadOf({ event }: CatalogCall, given: object): object {
  try {
    return withTimes(event, given);
  } catch (error) {
    throw error instanceof TimeFault ? new McpError(ErrorCode.InvalidParams, error.message) : error;
  }
}

/** An error of the service is an answer too, with the remedy for the agent. */
async function answerOf(call: () => Promise<object>) {
  try {
    const answer = await call();
    return { content: [{ type: 'text' as const, text: jsonText(answer) }], structuredContent: { ...answer } };
  } catch (error) {
    if (!(error instanceof TaskgraphError)) throw error;
    const { code, message, details } = error;
    const text = jsonText({ error: code, message, details, remedy: remedyOf(error) });
    return { content: [{ type: 'text' as const, text }], isError: true };
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
    name: onOneLine(title),
    description: onOneLine(`The branch of "${title}".`),
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
