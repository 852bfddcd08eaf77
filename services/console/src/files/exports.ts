// The files that the page exports, each as the bytes of its format.
import type { ExportFormat } from '@taskgraph/client/transfer';
import { files as texts } from '../messages/texts/files.ts';
import { currentPicture } from '../picture/current-picture.ts';
import { pngOf } from '../picture/export-png.ts';
import { svgPictureOf, svgText } from '../picture/export-svg.ts';
import type { ExportContent, WrittenFile } from '../transfer/file-messages.ts';
import { startFilesWorker } from '../worker/files-client.ts';

export type TableFormat = 'csv' | 'json' | 'ics';
export type PictureFormat = 'svg' | 'png';

/** The writer of each, and the type of its files. */
const FORMATS: Readonly<Record<TableFormat, readonly [format: ExportFormat, type: string]>> = {
  csv: ['csv', 'text/csv;charset=utf-8'],
  json: ['taskgraph', 'application/json'],
  ics: ['icalendar', 'text/calendar;charset=utf-8'],
};

export interface ExportedFile extends Pick<WrittenFile, 'tasks' | 'leftOut'> {
  readonly content: Blob;
}

/** Rejects with the reason if the worker fails. */
export function writeTable(content: ExportContent, name: TableFormat): Promise<ExportedFile> {
  const [format, type] = FORMATS[name];
  return new Promise<ExportedFile>((resolve, reject) => {
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

/** Throws the reason if there is no picture, or one that is too large. */
export async function writePicture(name: string, format: PictureFormat): Promise<ExportedFile> {
  const source = currentPicture();
  const picture = source === null ? null : svgPictureOf(source, name);
  if (source === null || picture === null) throw new Error(texts.noPicture);
  const file = { tasks: picture.tasks, leftOut: [] };
  if (format === 'svg') return { ...file, content: new Blob([svgText(picture.root)], { type: 'image/svg+xml' }) };
  const content = await pngOf(source);
  if (content === null) throw new Error(texts.pictureTooLarge);
  return { ...file, content };
}
