// Compresses answers over REST: short answers synchronously, long answers in threads, and each file
// once. If all permitted threads are busy, a long answer is sent plain, so that no answer waits for
// a thread. An answer that its worker has compressed is forwarded as it is. Rules: ZIP1, ZIP2.
import { randomBytes } from 'node:crypto';
import { brotliCompressSync, constants, createBrotliCompress, createGzip, gzipSync } from 'node:zlib';
import type { CompressedJson } from '@taskgraph/bus/requests/compressed-json';
import { CHUNK_BYTES, FAST_LEVEL, MAXIMUM_SYNC_BYTES, outputOf } from '@taskgraph/bus/requests/zlib-output';
import { byteLengthOf } from '@taskgraph/wire/bytes';
import { hasPublicToken } from '@taskgraph/wire/public-token';
import { type Coding, codingFor } from './accept-encoding.ts';
import { type CallAnswer, closingFields, contentOf } from './answer.ts';
import { gzipFrame } from './gzip-frame.ts';

/** Shorter answers fit into one packet, so compression gains nothing. */
const LEAST_BYTES = 1_024;
/** Node has four threads, which also hash passwords and resolve names. */
const MOST_IN_THREADS = 2;
/** For answers: each is compressed separately, and higher levels would save few bytes. */
const FAST = { gzip: FAST_LEVEL, br: FAST_LEVEL };
/** For files, which are compressed once. */
const SMALL = { gzip: 9, br: 9 };

const FOR_ANSWERS: readonly Coding[] = ['br', 'gzip'];
const FOR_COMPRESSED_ANSWERS: readonly Coding[] = ['gzip', 'br'];
const FOR_FILES: readonly Coding[] = ['br', 'gzip'];

/**
 * Blanks that follow a compressed answer, so that its length does not reveal its content exactly.
 */
const MOST_BLANKS = 255;
const BLANKS = Buffer.from(' \t');

export interface EncodingRequest {
  /** The header Accept-Encoding. */
  readonly accepted: string;
  /** Whether the operation allows compression. Files always do. */
  readonly isAllowed: boolean;
  /** Whether the client is still connected and waits for the answer. */
  readonly isOpen: () => boolean;
}

export interface Compression {
  readonly isOn: boolean;
  /**
   * Whether a call may request an answer that its worker has compressed: its client accepts it, so
   * `encode` forwards it.
   */
  acceptsCompressed(request: Omit<EncodingRequest, 'isOpen'>): boolean;
  /** Returns the answer, compressed if the client accepts that and the operation allows it. */
  encode(answer: CallAnswer, request: EncodingRequest): Promise<CallAnswer>;
  /** Bytes of the compressed answers, before and after compression. */
  readonly bytes: Readonly<Record<'before' | 'after', number>>;
}

const NO_CONTENT: ReadonlySet<number> = new Set([302, 303, 304]);

export function createCompression({ isOn }: { readonly isOn: boolean }): Compression {
  const bytes = { before: 0, after: 0 };
  let inThreads = 0;

  /** Null if all permitted threads are busy. */
  function compress(coding: Coding, pieces: readonly Uint8Array[]): Pieces | Promise<Pieces> | null {
    if (byteLengthOf(pieces) <= MAXIMUM_SYNC_BYTES) return [compressAtOnce(coding, Buffer.concat(pieces))];
    if (inThreads === MOST_IN_THREADS) return null;
    inThreads++;
    return compressInThread(coding, pieces, FAST).finally(() => {
      inThreads--;
    });
  }

  /** An answer that its worker has compressed, for a client that accepts it. */
  function framed(answer: CallAnswer, page: CompressedJson): CallAnswer {
    const content = gzipFrame(page, Buffer.concat([closingFields(answer.body), blanks()]));
    bytes.before += page.length;
    bytes.after += byteLengthOf(content);
    return encoded(answer, 'gzip', content);
  }

  return {
    isOn,
    bytes,
    acceptsCompressed: ({ accepted, isAllowed }) =>
      isOn && isAllowed && codingFor(accepted, FOR_COMPRESSED_ANSWERS) === 'gzip',
    async encode(answer, { accepted, isAllowed, isOpen }) {
      if (NO_CONTENT.has(answer.status) || !isOpen()) return answer;
      const { file, compressed: page } = answer;
      if (page !== undefined) return framed(answer, page);
      const coding = isOn && isAllowed ? codingFor(accepted, file === undefined ? FOR_ANSWERS : FOR_FILES) : null;
      if (coding === null) return answer;
      const content = contentOf(answer);
      const length = byteLengthOf(content);
      if (length <= LEAST_BYTES) return { ...answer, content };
      if (file !== undefined) {
        const whole = await tried(() => file.compressed(coding));
        return whole === null ? { ...answer, content } : encoded(answer, coding, [whole]);
      }
      if (content.some(hasPublicToken)) return { ...answer, content };
      const { isExact = false } = answer;
      const compressed = await tried(() => compress(coding, isExact ? content : [...content, blanks()]));
      if (compressed === null) return { ...answer, content };
      bytes.before += length;
      bytes.after += byteLengthOf(compressed);
      const whole = encoded(answer, coding, compressed);
      return isExact ? { ...whole, headers: { ...whole.headers, 'X-Padding': padding() } } : whole;
    },
  };
}

type Pieces = readonly Uint8Array[];

/** Null without memory for the compression: the answer of a command must not be lost for that. */
async function tried<T>(work: () => T | Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch {
    return null;
  }
}

function encoded(answer: CallAnswer, coding: Coding, content: Pieces): CallAnswer {
  return { ...answer, content, headers: { ...answer.headers, 'Content-Encoding': coding } };
}

function blanks(): Uint8Array {
  const [count = 0, ...random] = randomBytes(1 + MOST_BLANKS);
  return Uint8Array.from(random.slice(0, count), (byte) => BLANKS[byte % BLANKS.length] as number);
}

/** Compresses a file as a whole, in a thread. */
export async function compressFile(coding: Coding, bytes: Uint8Array): Promise<Uint8Array> {
  return Buffer.concat(await compressInThread(coding, [bytes], SMALL));
}

/** A text in place of blanks, which no program reads. It is as long as it seems: nothing compresses it. */
function padding(): string {
  const [count = 0] = randomBytes(1);
  return randomBytes(MOST_BLANKS).toString('base64url').slice(0, count);
}

type Quality = Readonly<Record<Coding, number>>;

function compressAtOnce(coding: Coding, bytes: Uint8Array): Uint8Array {
  return coding === 'gzip' ? gzipSync(bytes, gzipOptions(FAST)) : brotliCompressSync(bytes, brotliOptions(FAST));
}

function compressInThread(coding: Coding, pieces: Pieces, quality: Quality): Promise<Pieces> {
  const encoder = coding === 'gzip' ? createGzip(gzipOptions(quality)) : createBrotliCompress(brotliOptions(quality));
  return outputOf(encoder, pieces);
}

function gzipOptions({ gzip }: Quality) {
  return { level: gzip, chunkSize: CHUNK_BYTES };
}

/** A window of 256 KiB; the default of 4 MiB costs memory and gains little. */
const WINDOW_BITS = 18;

function brotliOptions({ br }: Quality) {
  const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_LGWIN } = constants;
  return { chunkSize: CHUNK_BYTES, params: { [BROTLI_PARAM_QUALITY]: br, [BROTLI_PARAM_LGWIN]: WINDOW_BITS } };
}
