// The files that the page exports, each as the bytes of its format.
import type { ExportFormat } from '@taskgraph/client/transfer';
import type { ExportContent, WrittenFile } from '../transfer/file-messages.ts';
import { startFilesWorker } from '../worker/files-client.ts';

export type TableFormat = 'csv' | 'json' | 'ics';

/** The writer of each, and the type of its files. */
const FORMATS: Readonly<Record<TableFormat, readonly [format: ExportFormat, type: string]>> = {
  csv: ['csv', 'text/csv;charset=utf-8'],
  json: ['taskgraph', 'application/json'],
  ics: ['icalendar', 'text/calendar;charset=utf-8'],
};

export interface TableFile extends Pick<WrittenFile, 'tasks' | 'leftOut'> {
  readonly content: Blob;
}

/** Rejects with the reason if the worker fails. */
export function writeTable(content: ExportContent, name: TableFormat): Promise<TableFile> {
  const [format, type] = FORMATS[name];
  return new Promise<TableFile>((resolve, reject) => {
    const worker = startFilesWorker({
      received(answer) {
        if (answer.kind !== 'written') return;
        worker.stop();
        const { text, tasks, leftOut } = answer.file;
        resolve({ content: new Blob([text], { type }), tasks, leftOut });
      },
      failed(message) {
        worker.stop();
        reject(new Error(message));
      },
    });
    worker.send({ kind: 'write', content, format, now: new Date().toISOString() });
  });
}
