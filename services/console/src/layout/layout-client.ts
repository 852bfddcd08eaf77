// The layout worker, as the page sees it: one request at a time, and of those that wait only the
// last is sent.
import type { Layout } from './layout.ts';
import type { LayoutRequest } from './layout.worker.ts';
import { workerAddress } from './worker-address.ts';

export interface LayoutClient {
  /** Requests a layout. `done` is not called if a later request replaces it in the queue. */
  request(request: LayoutRequest, done: (layout: Layout) => void): void;
  stop(): void;
}

interface Job {
  readonly request: LayoutRequest;
  readonly done: (layout: Layout) => void;
}

export function startLayoutClient(failed: (message: string) => void): LayoutClient {
  const worker = new Worker(workerAddress, { type: 'module' });
  let running: Job | null = null;
  let next: Job | null = null;
  const send = (job: Job) => {
    running = job;
    worker.postMessage(job.request);
  };
  worker.onmessage = ({ data }: MessageEvent<Layout>) => {
    const finished = running;
    running = null;
    // Also if another request waits: with a change each moment, there would be no layout otherwise.
    finished?.done(data);
    if (running !== null || next === null) return;
    const job = next;
    next = null;
    send(job);
  };
  worker.onerror = ({ message }) => failed(message);
  return {
    request(request, done) {
      const job = { request, done };
      if (running === null) send(job);
      else next = job;
    },
    stop: () => worker.terminate(),
  };
}
