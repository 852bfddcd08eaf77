// All static files of the gateway: the API descriptions, the page that shows them, and the console.
// They are read once, at the start.
import { consoleFiles } from './console-files.ts';
import { descriptionFiles, docsFiles } from './docs-files.ts';
import type { ServedFile, ServedFiles } from './served-file.ts';

interface FileChoice {
  /** Whether to serve `/docs`. */
  readonly page: boolean;
  /** Whether to serve the console at `/`. */
  readonly console: boolean;
}

export function servedFiles({ page, console: hasConsole }: FileChoice): ServedFiles {
  const files = new Map<string, ServedFile>([...descriptionFiles(), ...(page ? docsFiles() : [])]);
  const pages = hasConsole ? consoleFiles() : null;
  return { get: (path) => files.get(path) ?? pages?.get(path) };
}
