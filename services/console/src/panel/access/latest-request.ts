// Of several requests, only the last one counts.

export interface LatestRequest {
  /** Begins a request. What it returns says whether the request still counts. */
  begin(): () => boolean;
  /** The request that is running counts no longer. */
  end(): void;
}

export function createLatestRequest(): LatestRequest {
  let last = 0;
  return {
    begin() {
      const own = ++last;
      return () => own === last;
    },
    end: () => void last++,
  };
}
