/** The part of a port that is the same on all platforms. */
interface Port {
  onmessage: (() => void) | null;
  postMessage(message: unknown): void;
  close(): void;
}

/**
 * Resolves in a later turn of the event loop, so that long work does not block a page. Browsers delay
 * timers of background pages, but not messages of a port.
 */
export function nextTurn(): Promise<void> {
  const { port1, port2 } = new MessageChannel() as unknown as { readonly port1: Port; readonly port2: Port };
  return new Promise((resolve) => {
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}
