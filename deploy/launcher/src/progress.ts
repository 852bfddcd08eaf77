// The launcher's progress messages: one line per step, and a live count during downloads.

export interface Report {
  /** A permanent line. */
  line(text: string): void;
  /**
   * A temporary state, such as a count: overwritten on a terminal, printed occasionally elsewhere.
   */
  status(text: string): void;
}

const STATUS_EVERY_MS = 5_000;

/** Writes progress to stderr or stdout. A live line is drawn only on a terminal. */
export function streamReport(stream: NodeJS.WriteStream): Report {
  let live = false;
  let lastStatusAt = 0;
  const clear = () => {
    if (live) stream.write('\r\x1b[K');
    live = false;
  };
  return {
    line(text) {
      clear();
      stream.write(`${text}\n`);
    },
    status(text) {
      if (stream.isTTY) {
        clear();
        stream.write(text.slice(0, (stream.columns || 80) - 1));
        live = true;
      } else if (Date.now() - lastStatusAt >= STATUS_EVERY_MS) {
        lastStatusAt = Date.now();
        stream.write(`${text}\n`);
      }
    },
  };
}

export const silentReport: Report = { line() {}, status() {} };

/**
 * Runs one step and prints its duration. A failed step prints nothing, because its error is
 * reported.
 */
export async function step<T>(report: Report, title: string, work: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  report.status(`${title} ...`);
  const result = await work();
  report.line(`${title.padEnd(28)} ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
  return result;
}
