// The files that commands read: bounded, in UTF-8, and out of the archive where a service exports one.
import { isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { BrokenFile, type LeftOut } from '@taskgraph/client/transfer';
import { CliError } from '../failures.ts';
import { type ArchiveEntry, fileInArchive, isArchive } from './archive.ts';

/** The file of an archive of Vikunja that has the tasks. */
const IN_ARCHIVE = 'data.json';

export interface TextFile {
  /** The whole file, as it is stored. */
  readonly bytes: Uint8Array;
  readonly text: string;
  /** Files of an archive that hold something and are not read. */
  readonly leftOut: readonly LeftOut[];
}

/** Reads a file of at most so many bytes. Throws a CliError, or a BrokenFile where it is no text. */
export async function readText(path: string, maximumBytes: number): Promise<TextFile> {
  const remedy = `Give a file of at most ${maximumBytes} bytes.`;
  const missing = (error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT')
      throw new CliError('notFound', `There is no file ${path}.`, 'See its name and folder.');
    throw new CliError('failed', `${path} can't be read: ${error.message}`, remedy);
  };
  const bytes = await upTo(path, maximumBytes + 1).catch(missing);
  if (bytes.length > maximumBytes) throw new CliError('usage', `${path} has more than ${maximumBytes} bytes.`, remedy);
  if (!isArchive(bytes)) return { bytes, text: textOf(bytes), leftOut: [] };
  const { content, entries } = fileInArchive(bytes, IN_ARCHIVE, { maximumBytes });
  return { bytes, text: textOf(content), leftOut: leftOutOf(entries) };
}

/** Without filters Vikunja writes `[]` or `null`. */
const EMPTY_JSON_BYTES = 4;

/** The tasks tell of their attachments and the projects of their pictures, which stand in `files/`. */
function leftOutOf(entries: readonly ArchiveEntry[]): LeftOut[] {
  const others: string[] = [];
  let filters = false;
  for (const { name, size } of entries) {
    if (name === IN_ARCHIVE || name === 'VERSION' || name.startsWith('files/')) continue;
    if (name !== 'filters.json') others.push(name);
    else if (size > EMPTY_JSON_BYTES) filters = true;
  }
  return [
    ...(filters ? [{ what: 'saved filters', count: 1, places: ['filters.json'] }] : []),
    ...(others.length > 0 ? [{ what: 'a file of the archive', count: others.length, places: others }] : []),
  ];
}

/** The name by which commands read standard input. */
export const STANDARD_INPUT = '-';

/** Devices and pipes have no length before they end. */
async function upTo(path: string, most: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of path === STANDARD_INPUT ? process.stdin : createReadStream(path, { end: most - 1 })) {
    chunks.push(chunk as Buffer);
    length += (chunk as Buffer).length;
    if (length >= most) break;
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
  throw new BrokenFile(line, 'it is no text in UTF-8');
}
