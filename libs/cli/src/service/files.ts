// Reads files for commands: UTF-8 text up to a maximum size, or the tasks in an archive of Vikunja.
import { isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { BrokenFile, type TransferLoss } from '@taskgraph/client/transfer';
import { CliError } from '../failures.ts';
import { type ArchiveEntry, fileInArchive, isArchive } from './archive.ts';

/** The file with the tasks in an archive of Vikunja. */
const TASKS_FILE = 'data.json';

export interface TextFile {
  /** The complete file. */
  readonly bytes: Uint8Array;
  readonly text: string;
  /** Non-empty files of an archive that the import does not read. */
  readonly leftOut: readonly TransferLoss[];
}

/** Reads a file up to the maximum size. Throws a CliError, or a BrokenFile if it is not text. */
export async function readText(path: string, maximumBytes: number): Promise<TextFile> {
  const remedy = `Give a file of at most ${maximumBytes} bytes.`;
  const missing = (error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT')
      throw new CliError('notFound', `There is no file ${path}.`, 'Check its name and folder.');
    throw new CliError('failed', `${path} can't be read: ${error.message}`, remedy);
  };
  const bytes = await readUpTo(path, maximumBytes + 1).catch(missing);
  if (bytes.length > maximumBytes) throw new CliError('usage', `${path} has more than ${maximumBytes} bytes.`, remedy);
  if (!isArchive(bytes)) return { bytes, text: textOf(bytes), leftOut: [] };
  const { content, entries } = fileInArchive(bytes, TASKS_FILE, { maximumBytes });
  return { bytes, text: textOf(content), leftOut: leftOutOf(entries) };
}

/** Vikunja writes `[]` or `null` if there are no filters. */
const EMPTY_JSON_BYTES = 4;

/** Skips `files/`: the reader of the tasks reports these attachments and pictures. */
function leftOutOf(entries: readonly ArchiveEntry[]): TransferLoss[] {
  const others: string[] = [];
  let filters = false;
  for (const { name, size } of entries) {
    if (name === TASKS_FILE || name === 'VERSION' || name.startsWith('files/')) continue;
    if (name !== 'filters.json') others.push(name);
    else if (size > EMPTY_JSON_BYTES) filters = true;
  }
  return [
    ...(filters ? [{ what: 'saved filters', count: 1, places: ['filters.json'] }] : []),
    ...(others.length > 0 ? [{ what: 'a file of the archive', count: others.length, places: others }] : []),
  ];
}

/** The file name that means standard input. */
export const STANDARD_INPUT = '-';

/** Reads up to this number of bytes. Devices and pipes have no known length. */
async function readUpTo(path: string, maximumBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of path === STANDARD_INPUT
    ? process.stdin
    : createReadStream(path, { end: maximumBytes - 1 })) {
    chunks.push(chunk as Buffer);
    length += (chunk as Buffer).length;
    if (length >= maximumBytes) break;
  }
  return Buffer.concat(chunks);
}

function textOf(bytes: Uint8Array): string {
  if (isUtf8(bytes)) return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8');
  let [line, start] = [1, 0];
  for (let end = bytes.indexOf(10); end >= 0 && isUtf8(bytes.subarray(start, end)); end = bytes.indexOf(10, start)) {
    start = end + 1;
    line++;
  }
  throw new BrokenFile(line, 'it is not UTF-8 text');
}
