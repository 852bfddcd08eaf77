// Registers the service worker, which has the page while there is no connection.
import { serviceWorkerAddress } from './worker-address.ts';

export function registerServiceWorker(): void {
  const { serviceWorker } = navigator as { serviceWorker?: ServiceWorkerContainer };
  // The page works without it: the browser reports a failure, and the next start tries again.
  void serviceWorker?.register(serviceWorkerAddress);
}
