// The static files of the gateway: the API descriptions and the page that shows them. They are read
// once, at the start.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
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

const GATEWAY = fileURLToPath(new URL('../..', import.meta.url));
const DESCRIPTIONS = join(GATEWAY, '..', '..', 'docs', 'api');
const PAGE = join(GATEWAY, 'page');

const require = createRequire(import.meta.url);
/** The folder of an installed package. */
const folderOf = (name: string) => dirname(require.resolve(`${name}/package.json`));

const TYPES = {
  css: 'text/css; charset=utf-8',
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  json: 'application/json; charset=utf-8',
} as const;

const ETAG_CHARACTERS = 27;

/** Clients revalidate a file each time, since a release may change it. */
const REVALIDATED = { 'Cache-Control': 'no-cache' };

/**
 * The page loads and runs only these files, calls only this service, and cannot be framed. Swagger
 * UI has `data:` icons.
 */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The files by their paths. `page`: whether to serve `/docs`. */
export function servedFiles({ page }: { readonly page: boolean }): ReadonlyMap<string, ServedFile> {
  const descriptions = ['openapi.json', 'asyncapi.json'].map(
    (name) => [`/${name}`, readServed(join(DESCRIPTIONS, name), 'json', REVALIDATED)] as const,
  );
  return new Map([...descriptions, ...(page ? pageFiles() : [])]);
}

function pageFiles(): [string, ServedFile][] {
  const guarded = {
    ...REVALIDATED,
    'Content-Security-Policy': PAGE_POLICY,
    'Cross-Origin-Opener-Policy': 'same-origin',
  };
  const swagger = folderOf('swagger-ui-dist');
  const socketIo = join(folderOf('socket.io'), 'client-dist');
  const own = (name: string, type: 'css' | 'js') => readServed(join(PAGE, name), type, REVALIDATED);
  return [
    ['/docs', readServed(join(PAGE, 'rest.html'), 'html', guarded)],
    ['/docs/sockets', readServed(join(PAGE, 'sockets.html'), 'html', guarded)],
    ...(['rest.js', 'theme.js', 'sockets.js', 'reference.js'] as const).map((name): [string, ServedFile] => [
      `/docs/${name}`,
      own(name, 'js'),
    ]),
    ['/docs/page.css', own('page.css', 'css')],
    ['/docs/swagger-ui.css', readServed(join(swagger, 'swagger-ui.css'), 'css', REVALIDATED)],
    ['/docs/swagger-ui-bundle.js', readServed(join(swagger, 'swagger-ui-bundle.js'), 'js', REVALIDATED)],
    ['/docs/socket.io.js', readServed(join(socketIo, 'socket.io.min.js'), 'js', REVALIDATED)],
  ];
}

function readServed(path: string, type: keyof typeof TYPES, headers: ServedFile['headers']): ServedFile {
  const bytes = readFileSync(path);
  const etag = createHash('sha256').update(bytes).digest('base64url').slice(0, ETAG_CHARACTERS);
  return { bytes, type: TYPES[type], etag, compressed: compressOnce(bytes), headers };
}

function compressOnce(bytes: Uint8Array): ServedFile['compressed'] {
  const computed = new Map<Coding, Promise<Uint8Array>>();
  return (coding) => {
    const compressed = computed.get(coding) ?? compressFile(coding, bytes);
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
