// A static file of the gateway, read into memory at the start, and its answer.
import { createHash } from 'node:crypto';
import type { Coding } from '../http/accept-encoding.ts';
import type { AnswerFile, CallAnswer } from '../http/answer.ts';
import { compressFile } from '../http/compression.ts';
import { etagsIn } from '../http/etags.ts';

/** `etag` has no quotes. */
export interface ServedFile extends AnswerFile {
  readonly etag: string;
  /** Headers of its own. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Static files by path. No path reaches the file system. */
export interface ServedFiles {
  get(path: string): ServedFile | undefined;
}

const TYPES = {
  css: 'text/css; charset=utf-8',
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  json: 'application/json; charset=utf-8',
  svg: 'image/svg+xml',
  webmanifest: 'application/manifest+json',
} as const;

/** The endings of the files that are served. */
export type FileKind = keyof typeof TYPES;

export function isFileKind(ending: string): ending is FileKind {
  return Object.hasOwn(TYPES, ending);
}

const ETAG_CHARACTERS = 27;

/** Clients revalidate the file each time, since a release may change it. */
export const REVALIDATED = { 'Cache-Control': 'no-cache' };

interface FileContent {
  readonly bytes: Uint8Array;
  readonly kind: FileKind;
  readonly headers: ServedFile['headers'];
  /** The compressed forms, if the build has made them; each other one is made once. */
  readonly compressed?: Readonly<Partial<Record<Coding, Uint8Array>>>;
}

export function createServedFile({ bytes, kind, headers, compressed = {} }: FileContent): ServedFile {
  const etag = createHash('sha256').update(bytes).digest('base64url').slice(0, ETAG_CHARACTERS);
  return { bytes, type: TYPES[kind], etag, compressed: compressOnce(bytes, compressed), headers };
}

function compressOnce(
  bytes: Uint8Array,
  made: Readonly<Partial<Record<Coding, Uint8Array>>>,
): ServedFile['compressed'] {
  const computed = new Map<Coding, Promise<Uint8Array>>();
  return async (coding) => {
    const compressed = made[coding] ?? computed.get(coding) ?? compressFile(coding, bytes);
    if (!(compressed instanceof Promise)) return compressed;
    computed.set(coding, compressed);
    compressed.catch(() => computed.delete(coding));
    return compressed;
  };
}

/**
 * The file, or status 304 if the client has it. The etag is weak, because it is the same for all
 * codings of the file (RFC 9110, 8.8.3.3).
 */
export function fileAnswer({ etag, headers, ...file }: ServedFile, ifNoneMatch: string): CallAnswer {
  const own = { ...headers, ETag: `W/"${etag}"` };
  const isKnown = etagsIn(ifNoneMatch).includes(etag);
  return { status: isKnown ? 304 : 200, body: NO_BODY, file, headers: own };
}

/** A file is sent instead of a body. */
const NO_BODY = { ok: true, trace_id: '' } as const;
