// A server of the Model Context Protocol with the tools of this package, for any transport. An
// expected failure is an answer for the model; of a bug it learns nothing.
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
  CallToolRequestSchema,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
  type ServerCapabilities,
} from '@modelcontextprotocol/sdk/types.js';
import { checkArguments } from './input-schema.ts';
import { instructionsOf } from './instructions.ts';
import { modelJson, modelLine } from './model-text.ts';
import { type ToolContext, ToolFailure } from './service.ts';
import type { Tool } from './tool.ts';
import { toolsOf } from './tools.ts';

interface ToolServerOptions {
  /** The version of the program that serves the tools. */
  readonly version: string;
  readonly context: ToolContext;
  /** Further capabilities, whose handlers the caller adds. */
  readonly capabilities?: ServerCapabilities;
  /** The remedy for a code of the service, if there is one. */
  remedyOf(code: string): string | undefined;
  /** Reports a bug, and returns the words about it for the model. */
  onBug(error: unknown): string;
}

/** The longest details of a failure, in UTF-16 units. */
const LONGEST_DETAILS = 4_000;

/** Tools answer text alone: a client need not read structured content, and nothing comes twice. */
export function createToolServer(options: ToolServerOptions): Server {
  const { version, context, capabilities = {}, remedyOf, onBug } = options;
  const tools = toolsOf(context.canWrite);
  const server = new Server(
    { name: 'taskgraph', title: 'Taskgraph', version },
    {
      capabilities: { ...capabilities, tools: {} },
      instructions: instructionsOf(context.canWrite),
      jsonSchemaValidator: { getValidator: refuseValidator },
    },
  );
  const listed = tools.map(listedTool);
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: listed }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params: { name, arguments: given = {} } }) => {
    const tool = tools.find((each) => each.name === name);
    if (tool === undefined) {
      const known = tools.map((each) => each.name).join(', ');
      throw new McpError(
        ErrorCode.InvalidParams,
        modelLine(`There is no tool ${name.slice(0, 100)}. There are: ${known}`),
      );
    }
    try {
      checkArguments(tool.input, given);
      return { content: [{ type: 'text', text: await tool.run(given, context) }] };
    } catch (error) {
      const text = error instanceof ToolFailure ? failureText(error, remedyOf) : onBug(error);
      return { content: [{ type: 'text', text }], isError: true };
    }
  });
  return server;
}

/** The server asks its client for nothing, so it never validates an answer of one. */
function refuseValidator(): never {
  throw new Error('the server of tools validates no answers of clients');
}

function listedTool({ name, description, input, effect }: Tool) {
  return {
    name,
    description,
    inputSchema: { ...input },
    annotations:
      effect === 'reads'
        ? { readOnlyHint: true, openWorldHint: false }
        : {
            // Clients ask people before anything that may overwrite or remove.
            destructiveHint: effect === 'changes',
            // A repeated addition adds nothing, and a confirmed change is made once.
            idempotentHint: true,
            openWorldHint: false,
          },
  };
}

/** The code, the message, the details and the remedy, one a line. */
function failureText({ code, message, details, help }: ToolFailure, remedyOf: ToolServerOptions['remedyOf']): string {
  const remedy = remedyOf(code);
  return [
    `error: ${code}`,
    modelLine(message),
    ...(details === undefined || Object.keys(details).length === 0
      ? []
      : [`details: ${modelJson(details).slice(0, LONGEST_DETAILS)}`]),
    ...(remedy === undefined ? [] : [`remedy: ${remedy}`]),
    ...help,
  ].join('\n');
}
