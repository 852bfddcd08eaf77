// The worker for files of tasks, as the page sees it. Unlike that of layouts, it sends several answers
// for a request.
import type { FileAnswer, FileRequest } from '../transfer/file-messages.ts';
import { filesWorkerAddress } from './worker-address.ts';

export interface FilesClient {
  send(request: FileRequest): void;
  stop(): void;
}

interface FilesListeners {
  readonly received: (answer: FileAnswer) => void;
  readonly failed: (message: string) => void;
}

export function startFilesWorker({ received, failed }: FilesListeners): FilesClient {
  const worker = new Worker(filesWorkerAddress, { type: 'module' });
  worker.onmessage = ({ data }: MessageEvent<FileAnswer>) => received(data);
  worker.onerror = ({ message }) => failed(message);
  return {
    send: (request) => worker.postMessage(request),
    stop: () => worker.terminate(),
  };
}
