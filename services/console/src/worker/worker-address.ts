// The address of the script of all workers, as the page's only Trusted Types policy admits it. The page loads
// this module first, so that no later script can create a policy of that name.
import address from './console.worker.ts?worker&url';

interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL(text: string): string }): TrustedPolicy;
}
interface TrustedPolicy {
  createScriptURL(text: string): unknown;
}

/** A trusted address where the browser knows such, which the types of `Worker` do not. */
export const workerAddress = trusted(address) as string;

function trusted(text: string): unknown {
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
  const policy = trustedTypes?.createPolicy('taskgraph', {
    createScriptURL(url) {
      if (url !== text) throw new TypeError(`not a script of the console: ${url}`);
      return url;
    },
  });
  return policy?.createScriptURL(text) ?? text;
}
