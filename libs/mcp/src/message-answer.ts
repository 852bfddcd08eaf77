// Answers one message of the protocol: for transports without sessions, where each request has a
// server of its own.
import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  ErrorCode,
  isJSONRPCRequest,
  type JSONRPCMessage,
  JSONRPCMessageSchema,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/sdk/types.js';

/** The JSON of the answer, or null for a message that has none, such as a notification. */
export interface MessageAnswer {
  readonly json: string | null;
  /** Whether the message is one of the protocol. */
  readonly isValid: boolean;
}

/** Whether the protocol has such a version. */
export function isProtocolVersion(version: string): boolean {
  return SUPPORTED_PROTOCOL_VERSIONS.includes(version);
}

export async function answerMessage(server: Server, received: unknown): Promise<MessageAnswer> {
  const parsed = JSONRPCMessageSchema.safeParse(received);
  if (!parsed.success) return { json: JSON.stringify(INVALID), isValid: false };
  // Without a session nothing is in progress that a notification or an answer could concern.
  if (!isJSONRPCRequest(parsed.data)) return { json: null, isValid: true };
  const request = parsed.data;
  const answer = await new Promise<JSONRPCMessage>((resolve, reject) => {
    const transport: Transport = {
      start: async () => undefined,
      send: async (message) => resolve(message),
      close: async () => undefined,
    };
    server.connect(transport).then(() => transport.onmessage?.(request), reject);
  });
  await server.close();
  return { json: JSON.stringify(answer), isValid: true };
}

const INVALID = {
  jsonrpc: '2.0',
  id: null,
  error: { code: ErrorCode.InvalidRequest, message: 'The body must be one JSON-RPC message.' },
};
