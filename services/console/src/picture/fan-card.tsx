// The card that stands for leaves of a task, and that folds them again: an element over the canvas.

import { messages } from '../messages/messages.ts';
import { graphTexts as texts } from '../messages/texts/graph.ts';
import { fanTitle, isFanOutside, isFanSelected, isOpen, type SceneFan } from './fans.ts';

interface FanCardProps {
  readonly fan: SceneFan;
  /** The title of the task whose leaves they are. */
  readonly title: string;
  /** Of the upper left corner, in units of the world. */
  readonly x: number;
  readonly y: number;
  /** Whether the Tab key stops at it. */
  readonly isStop: boolean;
  readonly selection: ReadonlySet<string>;
  /** The tasks that meet the filter; null without one. */
  readonly matches: { has(id: string): boolean } | null;
  /** The words of the changes that the hidden leaves have. */
  readonly changes: readonly string[];
}

export function FanCard({ fan, title, x, y, isStop, selection, matches, changes }: FanCardProps) {
  const { id, side, hidden } = fan;
  const matching = matches === null ? 0 : hidden.filter((leaf) => matches.has(leaf)).length;
  const isSelected = isFanSelected(fan, selection);
  const facts = [
    ...(matching > 0 ? [texts.matching(matching)] : []),
    ...(isSelected ? [messages.selection.selected] : []),
    ...changes,
  ];
  return (
    <li className="card-place" style={{ transform: `translate(${x}px, ${y}px)` }}>
      <button
        type="button"
        className="card fan"
        data-fan={id}
        data-selected={isSelected}
        data-outside={isFanOutside(fan, matches)}
        aria-expanded={isOpen(fan)}
        tabIndex={isStop ? 0 : -1}
      >
        <span className="card-title" dir="auto">
          {fanTitle(fan)}
        </span>
        <span className="unseen"> {[texts[side](title), ...facts].join(', ')}</span>
        {facts.length > 0 && (
          <span className="card-facts" aria-hidden="true">
            {facts.map((fact) => (
              <span key={fact}>{fact}</span>
            ))}
          </span>
        )}
      </button>
    </li>
  );
}
