// A worker, as the page sees it.
import type { WorkRequest } from './console.worker.ts';
import { workerAddress } from './worker-address.ts';

export interface WorkClient<Request extends WorkRequest> {
  /** Sends a request. The next one must wait for `done`. */
  request<Answer>(request: Request, done: (answer: Answer) => void): void;
  stop(): void;
}

export function startWorker<Request extends WorkRequest>(failed: (message: string) => void): WorkClient<Request> {
  const worker = new Worker(workerAddress, { type: 'module' });
  worker.onerror = ({ message }) => failed(message);
  return {
    request(request, done) {
      worker.onmessage = ({ data }) => done(data);
      worker.postMessage(request);
    },
    stop: () => worker.terminate(),
  };
}
