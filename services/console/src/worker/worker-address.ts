// The addresses of the scripts of all workers, as the page's only Trusted Types policy admits them. The
// page loads this module first, so that no later script can create a policy of that name.
import address from './console.worker.ts?worker&url';

/** The service worker has one address in all releases. */
const SHELL = '/service-worker.js';

interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL(text: string): string }): TrustedPolicy;
}
interface TrustedPolicy {
  createScriptURL(text: string): unknown;
}

const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
const policy = trustedTypes?.createPolicy('taskgraph', {
  createScriptURL(url) {
    if (url !== address && url !== SHELL) throw new TypeError(`not a script of the console: ${url}`);
    return url;
  },
});

/** Trusted addresses where the browser knows such, which the types of workers do not. */
export const workerAddress = trusted(address);
export const shellAddress = trusted(SHELL);

function trusted(text: string): string {
  return (policy?.createScriptURL(text) ?? text) as string;
}
