// Agents as the official client of the protocol makes them, over HTTP.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { expect } from 'vitest';

export interface ToolAnswer {
  readonly isError?: boolean;
  readonly content: readonly { readonly type: string; readonly text: string }[];
}

export interface Agent {
  readonly client: Client;
  /** The text of an answer or of a failure. */
  anyText(tool: string, given?: object): Promise<string>;
  /** The text of an answer; a failure throws it. */
  text(tool: string, given?: object): Promise<string>;
  /** The text of a failure. */
  failure(tool: string, given?: object): Promise<string>;
}

const clients: Client[] = [];

/** Closes all agents of the file. */
export async function closeAgents(): Promise<void> {
  await Promise.all(clients.splice(0).map((client) => client.close()));
}

export async function openAgent(url: string, token: string): Promise<Agent> {
  const client = new Client({ name: 'test', version: '1.0.0' });
  const requestInit = { headers: { Authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }));
  clients.push(client);
  const call = async (name: string, given: object = {}) => {
    const answer = (await client.callTool({ name, arguments: { ...given } })) as unknown as ToolAnswer;
    expect(answer).not.toHaveProperty('structuredContent');
    expect(answer.content).toHaveLength(1);
    return { isError: answer.isError === true, text: answer.content[0]?.text ?? '' };
  };
  return {
    client,
    async anyText(tool, given) {
      return (await call(tool, given)).text;
    },
    async text(tool, given) {
      const { isError, text } = await call(tool, given);
      if (isError) throw new Error(text);
      return text;
    },
    async failure(tool, given) {
      const { isError, text } = await call(tool, given);
      expect([isError, text]).toEqual([true, expect.stringMatching(/^error: /)]);
      return text;
    },
  };
}
