// Reads from workers that a test answers, and the events of malformed answers.
import type { ReadMessage, ReplyMessage } from '@taskgraph/wire/bus/calls';
import { createAskWorkers } from '../../worker-client.ts';

export function answeredBy(read: (message: ReadMessage) => Promise<ReplyMessage>) {
  const malformed: string[] = [];
  const [log, onMalformed] = [{ error: () => undefined }, (event: string) => void malformed.push(event)];
  return { malformed, askWorkers: createAskWorkers({ requester: { read }, log, onMalformed }) };
}
