// The files that commands read: bounded, in UTF-8, and out of the archive where a service exports one.
import { isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { BrokenFile } from '@taskgraph/client/transfer';
import { unzipSync } from 'fflate';
import { CliError } from '../failures.ts';

/** The file of an archive of Vikunja that has the tasks. */
const IN_ARCHIVE = 'data.json';

/** Reads a file of at most so many bytes. Throws a CliError, or a BrokenFile where it is no text. */
export async function readText(path: string, maximumBytes: number): Promise<{ bytes: Uint8Array; text: string }> {
  const remedy = `Give a file of at most ${maximumBytes} bytes.`;
  const missing = (error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT')
      throw new CliError('notFound', `There is no file ${path}.`, 'See its name and folder.');
    throw new CliError('failed', `${path} can't be read: ${error.message}`, remedy);
  };
  const bytes = await upTo(path, maximumBytes + 1).catch(missing);
  if (bytes.length > maximumBytes) throw new CliError('usage', `${path} has more than ${maximumBytes} bytes.`, remedy);
  return { bytes, text: textOf(isArchive(bytes) ? fromArchive(bytes, maximumBytes) : bytes) };
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

function isArchive(bytes: Uint8Array): boolean {
  return bytes[0] === 0x50 && bytes[1] === 0x4b && bytes[2] === 3 && bytes[3] === 4;
}

/** The length that an archive names for a file is all the memory that it gets: a longer content is cut, and then refused as broken. */
function fromArchive(bytes: Uint8Array, maximumBytes: number): Uint8Array {
  let found: Uint8Array | undefined;
  try {
    const filter = ({ name, originalSize }: { name: string; originalSize: number }) => {
      if (name === IN_ARCHIVE && originalSize > maximumBytes)
        throw new BrokenFile(null, `its ${IN_ARCHIVE} has ${originalSize} bytes`);
      return name === IN_ARCHIVE;
    };
    found = unzipSync(bytes, { filter })[IN_ARCHIVE];
  } catch (error) {
    throw error instanceof BrokenFile ? error : new BrokenFile(null, 'the archive is broken');
  }
  if (found === undefined) throw new BrokenFile(null, `the archive has no ${IN_ARCHIVE}`);
  return found;
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
