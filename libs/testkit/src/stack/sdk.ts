// Calls over the SDK's socket that return failures as bodies, so that a test can compare them with
// those of REST.
import { type Calls, connect, type EventName, TaskgraphError } from '@taskgraph/client';

/**
 * A connection of one user. `call` returns the body of the ack, also of a refusal, and rejects if
 * none came.
 */
export interface SdkConnection {
  call(event: string, payload: object): Promise<Record<string, unknown>>;
  close(): void;
}

export async function connectSdk(options: { url: string; token: string }): Promise<SdkConnection> {
  const client = await connect(options);
  return {
    async call(event, payload) {
      try {
        const answer = await client.call(event as EventName, payload as Calls[EventName]['payload']);
        return answer as unknown as Record<string, unknown>;
      } catch (error) {
        if (!(error instanceof TaskgraphError) || error.code.startsWith('client.')) throw error;
        const { code, message, details, traceId } = error;
        return { ok: false, error: code, message: message.slice(code.length + 2), details, trace_id: traceId };
      }
    },
    close: () => client.close(),
  };
}
