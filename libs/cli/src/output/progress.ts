// Progress of long work at an interactive terminal. Short work shows no progress.
import { onOneLine } from '@taskgraph/client/transfer';
import { Presets, SingleBar } from 'cli-progress';
import type { Output } from './output.ts';

const SHOWN_AFTER_MS = 400;

export interface Progress {
  update(done: number): void;
  end(): void;
}

/** Creates a bar if `total` is known, else a count. */
export function createProgress(output: Output, what: string, total?: number): Progress {
  if (!output.isInteractive) return { update: () => undefined, end: () => undefined };
  const subject = onOneLine(what);
  const format = total === undefined ? `${subject} {value}` : `${subject} {bar} {value}/{total}`;
  const bar = new SingleBar({ format, clearOnComplete: true, hideCursor: true }, Presets.shades_classic);
  let reached = 0;
  let isShown = false;
  const timer = setTimeout(() => {
    isShown = true;
    bar.start(total ?? 0, reached);
  }, SHOWN_AFTER_MS);
  return {
    update(done) {
      reached = done;
      if (isShown) bar.update(done);
    },
    end() {
      clearTimeout(timer);
      if (isShown) bar.stop();
    },
  };
}
