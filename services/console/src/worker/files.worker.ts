// The worker that reads and writes files of tasks. It is a script of its own, so that those of layouts
// and plans stay small. Its answer has the policy of all files of the service: it can load nothing and
// call nothing, whatever a file makes of its readers.

import { createFileHandler } from '../transfer/file-handler.ts';
import type { FileRequest } from '../transfer/file-messages.ts';

/** What this file uses of the scope of a worker, whose types would replace those of a page. */
interface WorkerScope {
  addEventListener(type: 'message', listener: (event: MessageEvent<FileRequest>) => void): void;
  postMessage(message: unknown): void;
}

const scope = self as unknown as WorkerScope;
const work = createFileHandler((answer) => scope.postMessage(answer));

scope.addEventListener('message', ({ data }) => {
  // The page hears of an error only if it is reported.
  work.handle(data).catch(reportError);
});
