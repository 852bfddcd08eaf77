// The files of the page `/docs`, and the descriptions of the API that it shows.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createServedFile, type FileKind, REVALIDATED, type ServedFile } from './served-file.ts';

const GATEWAY = fileURLToPath(new URL('../..', import.meta.url));
const DESCRIPTIONS = join(GATEWAY, '..', '..', 'docs', 'api');
const PAGE = join(GATEWAY, 'page');

const require = createRequire(import.meta.url);
/** The folder of an installed package. */
const folderOf = (name: string) => dirname(require.resolve(`${name}/package.json`));

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

export function descriptionFiles(): [string, ServedFile][] {
  return ['openapi.json', 'asyncapi.json'].map((name) => [
    `/${name}`,
    readServed(join(DESCRIPTIONS, name), 'json', REVALIDATED),
  ]);
}

export function docsFiles(): [string, ServedFile][] {
  const guarded = {
    ...REVALIDATED,
    'Content-Security-Policy': PAGE_POLICY,
    'Cross-Origin-Opener-Policy': 'same-origin',
  };
  const swagger = folderOf('swagger-ui-dist');
  const socketIo = join(folderOf('socket.io'), 'client-dist');
  const own = (name: string, kind: 'css' | 'js') => readServed(join(PAGE, name), kind, REVALIDATED);
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

function readServed(path: string, kind: FileKind, headers: ServedFile['headers']): ServedFile {
  return createServedFile({ bytes: readFileSync(path), kind, headers });
}
