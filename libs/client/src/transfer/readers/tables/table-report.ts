// The report on the cells of a table: cells that cannot be read are reported with their places, or
// refused if the caller is strict. Rules: IO2, IO10.
import type { LossReport, TransferLoss } from '../../graph/loss-report.ts';
import { BrokenFile, excerpt } from '../../graph/transfer-graph.ts';

export interface TableReport {
  readonly losses: LossReport;
  /** A cell that cannot be read. Throws a BrokenFile if the caller is strict. */
  reportUnreadable(what: string, line: number, text: string): void;
  /** A value that is not read, and is no fault. */
  reportLoss(what: string, line: number, text?: string): void;
  /** A word that became a value; reported once with the number of its rows. */
  reportWord(what: string, text: string, value: string): void;
  /** A decision about a whole column, reported once. */
  reportColumn(what: string, head: string, value: string): void;
  /** The number of cells that could not be read so far. */
  unreadable(): number;
  list(): TransferLoss[];
}

export function createTableReport(losses: LossReport, isStrict: boolean): TableReport {
  const words = new Map<string, Map<string, number>>();
  let unreadable = 0;
  const shown = (text: string) => excerpt(text);
  return {
    losses,
    reportUnreadable(what, line, text) {
      if (isStrict) throw new BrokenFile(line, `${shown(text)}: ${what}`);
      losses.note(what, `line ${line}: ${shown(text)}`);
      unreadable++;
    },
    reportLoss(what, line, text) {
      losses.note(what, text === undefined ? `line ${line}` : `line ${line}: ${shown(text)}`);
    },
    reportWord(what, text, value) {
      const places = words.get(what) ?? new Map<string, number>();
      words.set(what, places);
      const place = `${shown(text)} → ${value}`;
      places.set(place, (places.get(place) ?? 0) + 1);
    },
    reportColumn(what, head, value) {
      losses.noteOnce(what, `${shown(head)}: ${value}`);
    },
    unreadable: () => unreadable,
    list() {
      const wordLosses = [...words].map(([what, places]) => ({
        what,
        count: [...places.values()].reduce((sum, count) => sum + count, 0),
        places: [...places].map(([place, count]) => `${place} (${count} ${count === 1 ? 'row' : 'rows'})`),
      }));
      return [...wordLosses, ...losses.list()];
    },
  };
}
