// Zip archives for tests, including invalid ones: shared streams, wrong lengths, wrong checksums.
import { crc32, deflateRawSync } from 'node:zlib';

export interface ZipEntry {
  readonly name: string;
  readonly content?: string | Uint8Array;
  /** The index of an entry whose bytes this entry shares. */
  readonly sameAs?: number;
  /** False values for fields of the directory. */
  readonly directory?: Partial<Record<'size' | 'crc' | 'method' | 'flags' | 'packedSize' | 'offset', number>>;
}

/** Builds the archive of these entries. */
export function zipOf(entries: readonly ZipEntry[]): Buffer {
  const files: Buffer[] = [];
  const directory: Buffer[] = [];
  const streams: {
    readonly offset: number;
    readonly packedSize: number;
    readonly size: number;
    readonly crc: number;
  }[] = [];
  let length = 0;
  for (const { name, content = '', sameAs, directory: given = {} } of entries) {
    const encoded = Buffer.from(name);
    const data = Buffer.from(content as string);
    const packed = deflateRawSync(data);
    const own = { offset: length, packedSize: packed.length, size: data.length, crc: crc32(data) };
    const stream = sameAs === undefined ? own : (streams[sameAs] ?? own);
    streams.push(stream);
    const fields = { ...stream, method: 8, flags: 0, ...given };
    if (stream === own) {
      const header = Buffer.alloc(30);
      header.writeUInt32LE(0x04034b50, 0);
      header.writeUInt16LE(8, 8);
      header.writeUInt32LE(own.crc, 14);
      header.writeUInt32LE(own.packedSize, 18);
      header.writeUInt32LE(own.size, 22);
      header.writeUInt16LE(encoded.length, 26);
      files.push(header, encoded, packed);
      length += header.length + encoded.length + packed.length;
    }
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50, 0);
    entry.writeUInt16LE(fields.flags, 8);
    entry.writeUInt16LE(fields.method, 10);
    entry.writeUInt32LE(fields.crc, 16);
    entry.writeUInt32LE(fields.packedSize, 20);
    entry.writeUInt32LE(fields.size, 24);
    entry.writeUInt16LE(encoded.length, 28);
    entry.writeUInt32LE(fields.offset, 42);
    directory.push(entry, encoded);
  }
  const whole = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(whole.length, 12);
  end.writeUInt32LE(length, 16);
  return Buffer.concat([...files, whole, end]);
}
