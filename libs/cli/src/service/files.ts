// Reads files for commands: text up to a maximum size, or the tasks in an archive of Vikunja.
import { createReadStream } from 'node:fs';
import { type DecodedText, decodeText, type TransferLoss } from '@taskgraph/client/transfer';
import { CliError } from '../failures.ts';
import { type ArchiveEntry, fileInArchive, isArchive } from './archive.ts';

/** The file with the tasks in an archive of Vikunja. */
const TASKS_FILE = 'data.json';

export interface TextFile extends DecodedText {
  /** The complete file. */
  readonly bytes: Uint8Array;
  /** The bytes of the text: those of the file, or of a file in an archive. */
  readonly content: Uint8Array;
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
  if (!isArchive(bytes)) return { bytes, content: bytes, ...decodeText(bytes), leftOut: [] };
  const { content, entries } = fileInArchive(bytes, TASKS_FILE, { maximumBytes });
  return { bytes, content, ...decodeText(content), leftOut: leftOutOf(entries) };
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
