// Reads one file of a zip archive. The work is bounded: the directory is read once, entries that share a name or bytes are refused,
// and only the file asked for is inflated, once, to the length that the directory names. Rule: IO8.
import { crc32, inflateRawSync } from 'node:zlib';
import { BrokenFile } from '@taskgraph/client/transfer';

export interface ArchiveEntry {
  readonly name: string;
  /** Bytes of its content, as the directory says. */
  readonly size: number;
}

export interface ArchivedFile {
  readonly content: Uint8Array;
  /** All files of the archive. */
  readonly entries: readonly ArchiveEntry[];
}

export interface ArchiveOptions {
  /** Bytes that the file may have. */
  readonly maximumBytes: number;
  /** Inflates a stream to at most so many bytes, and throws where there are more. */
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
/** The end of an archive may be followed by a comment of so many bytes. */
const LONGEST_COMMENT = 0xffff;
/** Stands in a field whose value is in an extension for archives above 4 GB. */
const IN_ZIP64 = { count: 0xffff, bytes: 0xffff_ffff } as const;
const METHOD = { stored: 0, deflated: 8 } as const;
const ENCRYPTED = 1;
/** Files that a refusal names. */
const MOST_NAMED = 4;

export function isArchive(bytes: Uint8Array): boolean {
  return bytes[0] === 0x50 && bytes[1] === 0x4b && bytes[2] === 3 && bytes[3] === 4;
}

/** The file of this name. Throws a BrokenFile where there is none, or the archive is broken or contradicts itself. */
export function fileInArchive(
  bytes: Uint8Array,
  name: string,
  { maximumBytes, inflate = inflateTo }: ArchiveOptions,
): ArchivedFile {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const entries = directoryOf(view);
  const found = entries.find((entry) => entry.name === name);
  if (found === undefined) throw new BrokenFile(null, `the archive has no ${name}, but ${namesOf(entries)}`);
  if (found.size > maximumBytes) throw new BrokenFile(null, `its ${name} has ${found.size} bytes`);
  return { content: contentOf(view, found, inflate), entries: entries.map(({ name, size }) => ({ name, size })) };
}

/** The first names, which tell what the archive is: `xl/workbook.xml` stands in a spreadsheet. */
function namesOf(entries: readonly ArchiveEntry[]): string {
  const names = entries.slice(0, MOST_NAMED).map((entry) => entry.name.slice(0, 60));
  const more = entries.length > MOST_NAMED ? [`${entries.length - MOST_NAMED} more`] : [];
  return names.length === 0 ? 'no files at all' : [...names, ...more].join(', ');
}

function inflateTo(packed: Uint8Array, maximumBytes: number): Uint8Array {
  return inflateRawSync(packed, { maxOutputLength: Math.max(1, maximumBytes) });
}

function broken(reason: string): BrokenFile {
  return new BrokenFile(null, `the archive is broken: ${reason}`);
}

/** The rows of the directory, whose number a field of two bytes bounds. */
function directoryOf(view: Buffer): DirectoryEntry[] {
  const end = endOf(view);
  const [count, size, start] = [view.readUInt16LE(end + 10), view.readUInt32LE(end + 12), view.readUInt32LE(end + 16)];
  if (count === IN_ZIP64.count || size === IN_ZIP64.bytes || start === IN_ZIP64.bytes)
    throw new BrokenFile(null, 'the archive has the form Zip64: unpack it and import its data.json');
  if (start + size > end) throw broken('its directory reaches beyond its end');
  const entries: DirectoryEntry[] = [];
  const names = new Set<string>();
  let at = start;
  for (let index = 0; index < count; index++) {
    if (at + HEADER_BYTES.directory > end || view.readUInt32LE(at) !== SIGNATURE.directory)
      throw broken('its directory ends too early');
    const nameEnd = at + HEADER_BYTES.directory + view.readUInt16LE(at + 28);
    const next = nameEnd + view.readUInt16LE(at + 30) + view.readUInt16LE(at + 32);
    if (next > end) throw broken('its directory ends too early');
    const name = view.toString('utf8', at + HEADER_BYTES.directory, nameEnd);
    if (names.has(name)) throw new BrokenFile(null, `the archive has two files ${name.slice(0, 60)}`);
    names.add(name);
    entries.push({
      ...{
        name,
        flags: view.readUInt16LE(at + 8),
        method: view.readUInt16LE(at + 10),
        crc: view.readUInt32LE(at + 16),
      },
      ...{
        packedSize: view.readUInt32LE(at + 20),
        size: view.readUInt32LE(at + 24),
        offset: view.readUInt32LE(at + 42),
      },
    });
    at = next;
  }
  refuseOverlaps(view, entries, start);
  return entries;
}

function endOf(view: Buffer): number {
  const least = Math.max(0, view.length - HEADER_BYTES.end - LONGEST_COMMENT);
  for (let at = view.length - HEADER_BYTES.end; at >= least; at--) {
    if (view.readUInt32LE(at) === SIGNATURE.end) return at;
  }
  throw broken('it has no directory at its end');
}

/** Where the content of an entry begins: after its header, which must be its own. */
function startOf(view: Buffer, { name, offset }: DirectoryEntry): number {
  if (offset + HEADER_BYTES.file > view.length || view.readUInt32LE(offset) !== SIGNATURE.file)
    throw broken(`${name.slice(0, 60)} is not where its directory says`);
  return offset + HEADER_BYTES.file + view.readUInt16LE(offset + 26) + view.readUInt16LE(offset + 28);
}

/** Files that share bytes multiply the work that an archive makes. */
function refuseOverlaps(view: Buffer, entries: readonly DirectoryEntry[], directory: number): void {
  let end = 0;
  for (const entry of entries.toSorted((one, other) => one.offset - other.offset)) {
    if (entry.offset < end) throw new BrokenFile(null, 'two files of the archive overlap');
    end = startOf(view, entry) + entry.packedSize;
    if (end > directory) throw broken(`${entry.name.slice(0, 60)} reaches into the directory`);
  }
}

function contentOf(view: Buffer, entry: DirectoryEntry, inflate: NonNullable<ArchiveOptions['inflate']>): Uint8Array {
  const { name, flags, method, size, crc } = entry;
  if ((flags & ENCRYPTED) !== 0) throw new BrokenFile(null, `${name} in the archive is encrypted`);
  if (method !== METHOD.stored && method !== METHOD.deflated)
    throw new BrokenFile(null, `${name} in the archive is packed by method ${method}, which is not read`);
  const start = startOf(view, entry);
  const packed = view.subarray(start, start + entry.packedSize);
  const content = method === METHOD.stored ? packed : inflated(packed, entry, inflate);
  if (content.length !== size) throw broken(`${name} has another length than its directory says`);
  if (crc32(content) !== crc) throw broken(`${name} has another checksum than its directory says`);
  return content;
}

function inflated(
  packed: Uint8Array,
  { name, size }: DirectoryEntry,
  inflate: NonNullable<ArchiveOptions['inflate']>,
): Uint8Array {
  try {
    return inflate(packed, size);
  } catch (error) {
    const isLonger = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
    throw broken(isLonger ? `${name} has another length than its directory says` : `${name} can't be unpacked`);
  }
}
