// The addresses of the scripts of all workers, as the page's only Trusted Types policy admits them. The
// page loads this module first, so that no later script can create a policy of that name.
import workAddress from './console.worker.ts?worker&url';
import filesAddress from './files.worker.ts?worker&url';

/** The service worker has one address in all releases. */
const SERVICE_WORKER = '/service-worker.js';

interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL(text: string): string }): TrustedPolicy;
}
interface TrustedPolicy {
  createScriptURL(text: string): unknown;
}

const ADDRESSES: readonly string[] = [workAddress, filesAddress, SERVICE_WORKER];

const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
const policy = trustedTypes?.createPolicy('taskgraph', {
  createScriptURL(url) {
    if (!ADDRESSES.includes(url)) throw new TypeError(`not a script of the console: ${url}`);
    return url;
  },
});

/** Of layouts and plans. */
export const workerAddress = trusted(workAddress);
/** Of files of tasks. */
export const filesWorkerAddress = trusted(filesAddress);
export const serviceWorkerAddress = trusted(SERVICE_WORKER);

/** A trusted address where the browser knows such, which the types of workers do not. */
function trusted(address: string): string {
  return (policy?.createScriptURL(address) ?? address) as string;
}
