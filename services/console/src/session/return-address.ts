// The address at which a reader leaves for a sign-in provider, which leads back to `/` alone. This tab
// stores it while the reader is away. Rule: CON3.
const KEY = 'taskgraph.return';

export function storeReturnAddress(): void {
  // The browser may show this page again as it was, after the reader went back.
  addEventListener('pageshow', removeReturnAddress, { once: true });
  try {
    sessionStorage.setItem(KEY, location.pathname + location.search);
  } catch {
    // The browser blocks the data of pages: the reader then begins at `/`.
  }
}

/**
 * Goes on at that address if the provider led here, or its sign-in `isRefused`. A reader who went elsewhere
 * stays there.
 */
export function takeReturnAddress(isRefused: boolean): void {
  try {
    const address = sessionStorage.getItem(KEY);
    sessionStorage.removeItem(KEY);
    if (address !== null && (isRefused || location.pathname === '/')) history.replaceState(null, '', address);
  } catch {
    // As above.
  }
}

/** The reader has come back another way. */
export function removeReturnAddress(): void {
  try {
    sessionStorage.removeItem(KEY);
  } catch {
    // As above.
  }
}
