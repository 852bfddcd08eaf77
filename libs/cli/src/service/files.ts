// Reads files for commands: text up to a maximum size, or the tasks in an archive of Vikunja or
// Todoist.
import { createReadStream } from 'node:fs';
import {
  type BackupFile,
  BrokenFile,
  type DecodedText,
  decodeText,
  encodingLosses,
  type TransferLoss,
} from '@taskgraph/client/transfer';
import { CliError } from '../failures.ts';
import { type Archive, isArchive, readArchive } from './archive.ts';

/** The file with the tasks in an archive of Vikunja. */
const TASKS_FILE = 'data.json';

export interface TextFile extends DecodedText {
  /** The complete file. */
  readonly bytes: Uint8Array;
  /** The bytes of the text: those of the file, or of a file in an archive. */
  readonly content: Uint8Array;
  /** The projects in a backup of Todoist, whose text is that of the first one; null for other files. */
  readonly backup: readonly BackupFile[] | null;
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
  if (!isArchive(bytes)) return { bytes, content: bytes, backup: null, ...decodeText(bytes), leftOut: [] };
  const archive = readArchive(bytes, {
    choose: (names) => (names.includes(TASKS_FILE) ? [TASKS_FILE] : names.filter(isProject)),
    wanted: `${TASKS_FILE} of Vikunja or projects of Todoist in CSV`,
    maximumBytes,
  });
  const [first = { name: '', content: new Uint8Array() }] = archive.files;
  const { content } = first;
  const leftOut = leftOutOf(archive);
  if (first.name === TASKS_FILE) return { bytes, content, backup: null, ...decodeText(content), leftOut };
  const decoded = archive.files.map(({ name, content: file }) => ({ name, ...decodedFile(name, file) }));
  const conversions = decoded.flatMap((file) => encodingLosses(file).map((loss) => ({ ...loss, places: [file.name] })));
  return {
    bytes,
    content,
    backup: decoded.map(({ name, text }) => ({ name, text })),
    text: decoded[0]?.text ?? '',
    encoding: 'utf-8',
    leftOut: [...conversions, ...leftOut],
  };
}

/** Whether it is a project in a backup of Todoist. macOS adds files with properties to archives. */
function isProject(name: string): boolean {
  return /\.csv$/i.test(name) && !name.startsWith('__MACOSX/');
}

function decodedFile(name: string, content: Uint8Array): DecodedText {
  try {
    return decodeText(content);
  } catch (error) {
    if (!(error instanceof BrokenFile)) throw error;
    throw new BrokenFile(null, `in the file ${name.slice(0, 100)}, ${error.message}`);
  }
}

/** Vikunja writes `[]` or `null` if there are no filters. */
const EMPTY_JSON_BYTES = 4;

/** Skips `files/`: the reader of the tasks reports these attachments and pictures. */
function leftOutOf({ files, entries }: Archive): TransferLoss[] {
  const read = new Set(files.map(({ name }) => name));
  const isVikunja = read.has(TASKS_FILE);
  const others: string[] = [];
  let filters = false;
  for (const { name, size } of entries) {
    if (size === 0 || read.has(name)) continue;
    if (isVikunja && (name === 'VERSION' || name.startsWith('files/'))) continue;
    if (!isVikunja || name !== 'filters.json') others.push(name);
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
