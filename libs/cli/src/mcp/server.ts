// The server for agents: each call of the catalog is a tool, branches and what is ready are resources. It speaks the Model Context Protocol over
// standard input and output, by the official SDK. Without `write` it has no tool that changes anything.

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
import { childrenOf, inOrder, readyIn } from '../graph/questions.ts';
import type { LiveCopy } from '../service/copy.ts';
import { withTimes } from '../service/times.ts';

interface Options {
  readonly write: boolean;
}

const READY = 'taskgraph://ready';
const BRANCH = 'taskgraph://branch/';
const JSON_TYPE = 'application/json';
/** Calls that only add. */
const ADDITIVE: ReadonlySet<string> = new Set(['node:add', 'link:add']);
/** Branches of one page of the list. */
const MOST_LISTED = 200;

const INSTRUCTIONS = `Taskgraph stores tasks as nodes and their dependencies as links: a link leads from a child, the source, to its parent, the target. A primary
link (type 0) blocks its target until its source is completed. Statuses: 0 Available, 1 InProgress, 2 Blocked, 3 Completed; Blocked follows from links alone.
A due date may be a day: write dueDate as 2026-12-24. It is stored as 2026-12-24T23:59:59.000Z, which stands for that day in every time zone. Other times need a clock,
such as 2026-12-24T18:00:00Z; without an offset the clock is that of this computer.`;

/** The name of a call's tool: agents know no colons. */
function toolName(event: string): string {
  return event.replaceAll(':', '_');
}

/** The tools of the catalog, all or those that only read. */
function toolsOf({ write }: Options): Tool[] {
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
      // Every other call changes or takes away, also a batch or an undo: clients ask people before it.
      destructiveHint: changes && !ADDITIVE.has(event),
      // Each call has a key of its own, and is sent again under it after a lost connection.
      idempotentHint: !changes,
      openWorldHint: false,
    },
  };
}

/** Serves until the other side closes. */
export async function serveAgents(context: Context, options: Options): Promise<void> {
  const live = await context.live();
  const server = agentServer(context, live, options);
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

/** The server over the live copy of the graph, from which resources are read. */
function agentServer(context: Context, { replica }: LiveCopy, options: Options): Server {
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
        description: 'A node and all that hangs below it.',
        mimeType: JSON_TYPE,
      },
    ],
  }));
  server.setRequestHandler(ReadResourceRequestSchema, ({ params: { uri } }) => ({
    contents: [{ uri, mimeType: JSON_TYPE, text: jsonText(contentOf(graph(), uri), 2) }],
  }));
  return server;
}

/** Agents may write days and clocks of this computer (IO6). */
function payloadOf({ event }: CatalogCall, given: object): object {
  try {
    return withTimes(event, given);
  } catch (error) {
    throw error instanceof TimeFault ? new McpError(ErrorCode.InvalidParams, error.message) : error;
  }
}

/** A refusal is an answer too: the agent reads how to get further. */
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

/** A page of the ready list and a branch for each node that something hangs below; the cursor is the id of the page's last one. */
export function resourcesOf(graph: Graph, cursor?: string) {
  const roots = inOrder(graph.nodes.values()).filter(({ id }) => childrenOf(graph, id).length > 0);
  const from = cursor === undefined ? 0 : roots.findIndex(({ id }) => id === cursor) + 1;
  // A node that went meanwhile is no place to go on from.
  if (cursor !== undefined && from === 0)
    throw new McpError(ErrorCode.InvalidParams, 'The list has changed: begin anew.');
  const page = roots.slice(from, from + MOST_LISTED);
  const branches = page.map(({ id, title }) => ({
    uri: `${BRANCH}${id}`,
    name: onOneLine(title),
    description: onOneLine(`The branch of "${title}".`),
    mimeType: JSON_TYPE,
  }));
  const ready = { uri: READY, name: 'ready', description: 'What can be begun now, what is due first before the rest.' };
  const last = from + page.length < roots.length ? page.at(-1) : undefined;
  return {
    resources: [...(cursor === undefined ? [{ ...ready, mimeType: JSON_TYPE }] : []), ...branches],
    ...(last === undefined ? {} : { nextCursor: last.id }),
  };
}

function contentOf(graph: Graph, uri: string): object {
  if (uri === READY) return readyIn(graph).map(shown);
  const root = graph.nodes.get(uri.startsWith(BRANCH) ? uri.slice(BRANCH.length) : '');
  if (root === undefined) throw new McpError(ErrorCode.InvalidParams, onOneLine(`There is no resource ${uri}.`));
  const branch = branchOf({ nodes: graph.nodes.values(), links: graph.links.values() }, root.id);
  const nodes = [...branch.nodes].flatMap(({ id }) => graph.nodes.get(id) ?? []);
  const ids = new Set(nodes.map(({ id }) => id));
  return { root: root.id, nodes: nodes.map(shown), links: [...branch.links].filter(({ target }) => ids.has(target)) };
}

/** A node with the name of its status, which agents need not look up. */
function shown(node: Task): object {
  return { ...node, statusName: STATUSES[node.status] };
}
