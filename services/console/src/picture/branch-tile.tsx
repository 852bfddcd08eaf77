// The tile of a branch: an element over the canvas with the numbers of its tasks.

import { messages } from '../messages/messages.ts';
import { graphTexts as texts } from '../messages/texts/graph.ts';
import { StatusGlyph } from '../panel/status-glyph.tsx';
import type { StatusNumbers } from './overview.ts';

interface BranchTileProps {
  readonly id: string;
  readonly title: string;
  readonly counts: StatusNumbers;
  /** Of the upper left corner, in units of the world. */
  readonly x: number;
  readonly y: number;
  /** Whether the Tab key stops at it. */
  readonly isStop: boolean;
}

export function BranchTile({ id, title, counts, x, y, isStop }: BranchTileProps) {
  const tasks = counts.reduce((sum, each) => sum + each, 0);
  return (
    <li className="card-place" style={{ transform: `translate(${x}px, ${y}px)` }}>
      <button type="button" className="card tile" data-tile={id} tabIndex={isStop ? 0 : -1}>
        <span className="card-title" dir="auto">
          {title}
        </span>
        <span className="unseen">
          , {texts.tasks(tasks)}: {messages.list(texts.counts(counts))}
        </span>
        <span className="card-facts" aria-hidden="true">
          {counts.map((number, status) =>
            number === 0 ? null : (
              <span key={messages.status[status]}>
                <StatusGlyph status={status} />
                {messages.number(number)}
              </span>
            ),
          )}
        </span>
      </button>
    </li>
  );
}
