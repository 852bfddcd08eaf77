// Reads files of a zip archive with bounded work: the directory is read once, entries that share a
// name or bytes are rejected, and only the chosen files are inflated, once, up to the lengths in the
// directory. Rule: IO8.
import { crc32, inflateRawSync } from 'node:zlib';
import { BrokenFile } from '@taskgraph/client/transfer';

export interface ArchiveEntry {
  readonly name: string;
  /** Bytes of its content, according to the directory. */
  readonly size: number;
}

export interface ArchivedFile {
  readonly name: string;
  readonly content: Uint8Array;
}

export interface Archive {
  /** The chosen files. */
  readonly files: readonly ArchivedFile[];
  /** All files of the archive. */
  readonly entries: readonly ArchiveEntry[];
}

export interface ArchiveOptions {
  /** Chooses the files to read by their names. */
  readonly choose: (names: readonly string[]) => readonly string[];
  /** The choice in words, for the message if there is none. */
  readonly wanted: string;
  /** The maximum size of the files together. */
  readonly maximumBytes: number;
  /** Inflates a stream. Throws if the result has more bytes than the maximum. */
  readonly inflate?: (packed: Uint8Array, maximumBytes: number) => Uint8Array;
}

/** A row of the directory. */
interface DirectoryEntry extends ArchiveEntry {
  readonly flags: number;
  readonly method: number;
  readonly crc: number;
  readonly packedSize: number;
  readonly offset: number;
}

const SIGNATURE = { file: 0x04034b50, directory: 0x02014b50, end: 0x06054b50 } as const;
const HEADER_BYTES = { file: 30, directory: 46, end: 22 } as const;
/** Bytes of the comment that may follow the end of an archive. */
const MAXIMUM_COMMENT_BYTES = 0xffff;
/** Values of fields whose content is in the Zip64 extension, for archives above 4 GB. */
const IN_ZIP64 = { count: 0xffff, bytes: 0xffff_ffff } as const;
const METHOD = { stored: 0, deflated: 8 } as const;
const ENCRYPTED = 1;
/** Files that an error message names. */
const MAXIMUM_NAMED = 4;

export function isArchive(bytes: Uint8Array): boolean {
  return bytes[0] === 0x50 && bytes[1] === 0x4b && bytes[2] === 3 && bytes[3] === 4;
}

/**
 * Reads the chosen files. Throws a BrokenFile if there are none, or if the archive is broken or
 * contradicts itself.
 */
export function readArchive(
  bytes: Uint8Array,
  { choose, wanted, maximumBytes, inflate = inflateTo }: ArchiveOptions,
): Archive {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const entries = directoryOf(view);
  const names = new Set(choose(entries.map(({ name }) => name)));
  const chosen = entries.filter(({ name }) => names.has(name));
  if (chosen.length === 0) throw new BrokenFile(null, `the archive has no ${wanted}; it has ${namesOf(entries)}`);
  const length = chosen.reduce((sum, { size }) => sum + size, 0);
  if (length > maximumBytes) throw new BrokenFile(null, `its ${namesOf(chosen)} have ${length} bytes`);
  return {
    files: chosen.map((entry) => ({ name: entry.name, content: contentOf(view, entry, inflate) })),
    entries: entries.map(({ name, size }) => ({ name, size })),
  };
}

/** The first names. They reveal the kind of archive: a spreadsheet contains `xl/workbook.xml`. */
function namesOf(entries: readonly ArchiveEntry[]): string {
  const names = entries.slice(0, MAXIMUM_NAMED).map((entry) => entry.name.slice(0, 60));
  const more = entries.length > MAXIMUM_NAMED ? [`${entries.length - MAXIMUM_NAMED} more`] : [];
  return names.length === 0 ? 'no files' : [...names, ...more].join(', ');
}

function inflateTo(packed: Uint8Array, maximumBytes: number): Uint8Array {
  return inflateRawSync(packed, { maxOutputLength: Math.max(1, maximumBytes) });
}

function brokenArchive(reason: string): BrokenFile {
  return new BrokenFile(null, `the archive is broken: ${reason}`);
}

/** The rows of the directory. A field of two bytes bounds their number. */
function directoryOf(view: Buffer): DirectoryEntry[] {
  const end = findDirectoryEnd(view);
  const [count, size, start] = [view.readUInt16LE(end + 10), view.readUInt32LE(end + 12), view.readUInt32LE(end + 16)];
  if (count === IN_ZIP64.count || size === IN_ZIP64.bytes || start === IN_ZIP64.bytes)
    throw new BrokenFile(null, 'the archive uses Zip64: unpack it and import the files in it');
  if (start + size > end) throw brokenArchive('its directory reaches beyond its end');
  const entries: DirectoryEntry[] = [];
  const names = new Set<string>();
  let at = start;
  for (let index = 0; index < count; index++) {
    if (at + HEADER_BYTES.directory > end || view.readUInt32LE(at) !== SIGNATURE.directory)
      throw brokenArchive('its directory ends too early');
    const nameEnd = at + HEADER_BYTES.directory + view.readUInt16LE(at + 28);
    const next = nameEnd + view.readUInt16LE(at + 30) + view.readUInt16LE(at + 32);
    if (next > end) throw brokenArchive('its directory ends too early');
    const name = view.toString('utf8', at + HEADER_BYTES.directory, nameEnd);
    if (names.has(name)) throw new BrokenFile(null, `the archive has two files ${name.slice(0, 60)}`);
    names.add(name);
    entries.push({
      name,
      flags: view.readUInt16LE(at + 8),
      method: view.readUInt16LE(at + 10),
      crc: view.readUInt32LE(at + 16),
      packedSize: view.readUInt32LE(at + 20),
      size: view.readUInt32LE(at + 24),
      offset: view.readUInt32LE(at + 42),
    });
    at = next;
  }
  rejectOverlaps(view, entries, start);
  return entries;
}

function findDirectoryEnd(view: Buffer): number {
  const first = Math.max(0, view.length - HEADER_BYTES.end - MAXIMUM_COMMENT_BYTES);
  for (let at = view.length - HEADER_BYTES.end; at >= first; at--) {
    if (view.readUInt32LE(at) === SIGNATURE.end) return at;
  }
  throw brokenArchive('it has no directory at its end');
}

/** The offset of the content of an entry, after its header. */
function startOf(view: Buffer, { name, offset }: DirectoryEntry): number {
  if (offset + HEADER_BYTES.file > view.length || view.readUInt32LE(offset) !== SIGNATURE.file)
    throw brokenArchive(`${name.slice(0, 60)} is not where its directory says`);
  return offset + HEADER_BYTES.file + view.readUInt16LE(offset + 26) + view.readUInt16LE(offset + 28);
}

/** Rejects entries that share bytes, because they multiply the work. */
function rejectOverlaps(view: Buffer, entries: readonly DirectoryEntry[], directory: number): void {
  let end = 0;
  for (const entry of entries.toSorted((one, other) => one.offset - other.offset)) {
    if (entry.offset < end) throw new BrokenFile(null, 'two files of the archive overlap');
    end = startOf(view, entry) + entry.packedSize;
    if (end > directory) throw brokenArchive(`${entry.name.slice(0, 60)} reaches into the directory`);
  }
}

function contentOf(view: Buffer, entry: DirectoryEntry, inflate: NonNullable<ArchiveOptions['inflate']>): Uint8Array {
  const { name, flags, method, size, crc } = entry;
  if ((flags & ENCRYPTED) !== 0) throw new BrokenFile(null, `${name} in the archive is encrypted`);
  if (method !== METHOD.stored && method !== METHOD.deflated)
    throw new BrokenFile(null, `${name} in the archive is packed by method ${method}, which is not supported`);
  const start = startOf(view, entry);
  const packed = view.subarray(start, start + entry.packedSize);
  const content = method === METHOD.stored ? packed : inflateEntry(packed, entry, inflate);
  if (content.length !== size) throw brokenArchive(`${name} has another length than its directory says`);
  if (crc32(content) !== crc) throw brokenArchive(`${name} has another checksum than its directory says`);
  return content;
}

function inflateEntry(
  packed: Uint8Array,
  { name, size }: DirectoryEntry,
  inflate: NonNullable<ArchiveOptions['inflate']>,
): Uint8Array {
  try {
    return inflate(packed, size);
  } catch (error) {
    const isLonger = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
    throw brokenArchive(isLonger ? `${name} has another length than its directory says` : `${name} can't be unpacked`);
  }
}
