// Writes a zip archive of text files. archive.ts reads archives.
import { crc32, deflateRawSync } from 'node:zlib';

/** A file of an archive. Its name has only ASCII characters. */
export interface ArchiveFile {
  readonly name: string;
  readonly content: string;
}

const SIGNATURE = { file: 0x04034b50, directory: 0x02014b50, end: 0x06054b50 } as const;
const VERSION = 20;
const DEFLATED = 8;
/** 1 January 1980, the first day that the format has: the archive does not depend on the clock. */
const DAY = 33;

/** The bytes of an archive with these files, of together less than 4 GB. */
export function writeArchive(files: readonly ArchiveFile[]): Buffer {
  const parts: Buffer[] = [];
  const rows: Buffer[] = [];
  let offset = 0;
  for (const { name, content } of files) {
    const data = Buffer.from(content);
    const packed = deflateRawSync(data);
    const shared = headerFields({ name, packed, data });
    const header = Buffer.concat([signatureOf(SIGNATURE.file), shared, Buffer.from(name)]);
    parts.push(header, packed);
    rows.push(directoryRow(name, shared, offset));
    offset += header.length + packed.length;
  }
  const directory = Buffer.concat(rows);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(SIGNATURE.end, 0);
  end.writeUInt16LE(files.length, 8);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, directory, end]);
}

function signatureOf(signature: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(signature, 0);
  return bytes;
}

/** The fields that a file's header and its row of the directory share, from the version on. */
function headerFields({ name, packed, data }: { name: string; packed: Buffer; data: Buffer }): Buffer {
  const fields = Buffer.alloc(26);
  fields.writeUInt16LE(VERSION, 0);
  fields.writeUInt16LE(DEFLATED, 4);
  fields.writeUInt16LE(DAY, 8);
  fields.writeUInt32LE(crc32(data), 10);
  fields.writeUInt32LE(packed.length, 14);
  fields.writeUInt32LE(data.length, 18);
  fields.writeUInt16LE(Buffer.byteLength(name), 22);
  return fields;
}

function directoryRow(name: string, shared: Buffer, offset: number): Buffer {
  const head = Buffer.alloc(6);
  head.writeUInt32LE(SIGNATURE.directory, 0);
  head.writeUInt16LE(VERSION, 4);
  const tail = Buffer.alloc(14);
  tail.writeUInt32LE(offset, 10);
  return Buffer.concat([head, shared, tail, Buffer.from(name)]);
}
