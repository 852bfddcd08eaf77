// The service worker: the page without a connection. It stores the page and the files of one release,
// and nothing about tasks. With a connection, the page comes from the service. Rule: CON34.
import { filesOf } from './page-files.ts';

/** The build replaces it: the addresses of this release, and a name that changes with them. */
declare const PAGE_RELEASE: { readonly name: string; readonly addresses: readonly string[] };

interface WorkerEvent extends Event {
  waitUntil(work: Promise<unknown>): void;
}
interface RequestEvent extends WorkerEvent {
  readonly request: Request;
  readonly preloadResponse: Promise<Response | undefined>;
  respondWith(answer: Promise<Response>): void;
}

/** What this file uses of the scope of a service worker, whose types would replace those of a page. */
interface WorkerScope {
  readonly location: { readonly origin: string };
  readonly registration: { readonly navigationPreload?: { enable(): Promise<void> } };
  addEventListener(type: 'install' | 'activate', listener: (event: WorkerEvent) => void): void;
  addEventListener(type: 'fetch', listener: (event: RequestEvent) => void): void;
}

const PREFIX = 'taskgraph-page-';
const PAGE = '/';
/** They have pages of their own. */
const OTHERS = /^\/(api|docs|p)(\/|$)/;

const scope = self as unknown as WorkerScope;
const { name, addresses } = PAGE_RELEASE;
const ownCache = PREFIX + name;

scope.addEventListener('install', (event) => event.waitUntil(store()));
scope.addEventListener('activate', (event) => event.waitUntil(begin()));
scope.addEventListener('fetch', (event) => {
  const { method, mode, url } = event.request;
  const { origin, pathname } = new URL(url);
  if (method !== 'GET' || origin !== scope.location.origin) return;
  if (pathname.startsWith('/assets/')) event.respondWith(assetOf(event.request));
  else if (mode === 'navigate') event.respondWith(OTHERS.test(pathname) ? answerOf(event) : pageOf(event));
});

async function store(): Promise<void> {
  const cache = await caches.open(ownCache);
  await cache.addAll([PAGE, ...addresses]);
  // During an update of the service, another release may have answered with the page.
  const page = await cache.match(PAGE);
  const others = filesOf((await page?.text()) ?? '').filter((address) => !addresses.includes(address));
  // The browser installs again at its next visit.
  if (others.length > 0) throw new Error(`the page is of another release: ${others[0]}`);
}

/** The pages of earlier releases are closed by now. */
async function begin(): Promise<void> {
  const earlier = (await caches.keys()).filter((each) => each.startsWith(PREFIX) && each !== ownCache);
  await Promise.all(earlier.map((each) => caches.delete(each)));
  // The request for the page does not wait for the start of this worker.
  await scope.registration.navigationPreload?.enable();
}

async function assetOf(request: Request): Promise<Response> {
  const cache = await caches.open(ownCache);
  return (await cache.match(request)) ?? fetch(request);
}

/** Of each navigation the browser has sent the request already: a second one would use up a code for signing in. */
async function answerOf({ request, preloadResponse }: RequestEvent): Promise<Response> {
  return (await preloadResponse) ?? fetch(request);
}

async function pageOf(event: RequestEvent): Promise<Response> {
  try {
    return await answerOf(event);
  } catch (error) {
    const cache = await caches.open(ownCache);
    const stored = await cache.match(PAGE);
    if (stored === undefined) throw error;
    return stored;
  }
}
