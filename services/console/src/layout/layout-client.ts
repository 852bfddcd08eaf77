// The layout worker, as the page sees it.
import type { Layout } from './layout.ts';
import type { LayoutRequest } from './layout.worker.ts';
import { workerAddress } from './worker-address.ts';

export interface LayoutClient {
  /** Requests a layout. The next request must wait for `done`. */
  request(request: LayoutRequest, done: (layout: Layout) => void): void;
  stop(): void;
}

export function startLayoutClient(failed: (message: string) => void): LayoutClient {
  const worker = new Worker(workerAddress, { type: 'module' });
  worker.onerror = ({ message }) => failed(message);
  return {
    request(request, done) {
      worker.onmessage = ({ data }: MessageEvent<Layout>) => done(data);
      worker.postMessage(request);
    },
    stop: () => worker.terminate(),
  };
}
