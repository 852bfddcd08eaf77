// The open question about another effort: its answer in words, and what the reader does with it.
import type { KeyboardEvent } from 'react';
import type { Task } from '../../graph/task.ts';
import type { Answer, Question } from '../../graph/what-if.ts';
import { titleOf } from '../../messages/messages.ts';
import { planTexts } from '../../messages/texts/plan.ts';
import type { ChartScale } from './chart-scale.tsx';
import { endTimeText } from './plan-row.tsx';

interface QuestionLineProps {
  readonly task: Task | undefined;
  readonly question: Question | null;
  readonly answer: Answer | null;
  readonly scale: ChartScale;
  /** The number of tasks that are late in the answer and not in the plan. */
  readonly becomeLate: number;
  readonly onAccept: () => void;
  readonly onDiscard: () => void;
  readonly onKeyDown: (event: KeyboardEvent) => void;
}

export function QuestionLine(props: QuestionLineProps) {
  const { task, question, answer, scale, becomeLate, onAccept, onDiscard, onKeyDown } = props;
  const isOpen = task !== undefined && question !== null && answer !== null;
  return (
    <section className="plan-question" aria-label={planTexts.whatIf} data-open={isOpen} onKeyDown={onKeyDown}>
      {/* It is always there, so that its first text is announced too. */}
      <p role="status">
        {isOpen && (
          <>
            {planTexts.question(titleOf(task), question.volume, task.volume)}{' '}
            <strong>{answerText(answer, scale, becomeLate)}</strong>
          </>
        )}
      </p>
      {isOpen && (
        <span className="row-acts">
          <button type="button" className="primary" onClick={onAccept}>
            {planTexts.accept}
          </button>
          <button type="button" onClick={onDiscard}>
            {planTexts.discard}
          </button>
        </span>
      )}
    </section>
  );
}

function answerText({ before, after, moved }: Answer, scale: ChartScale, becomeLate: number): string {
  const [was, is] = [endTimeText(before, scale), endTimeText(after, scale)];
  const end = before === after ? planTexts.endStays(was) : planTexts.endMoves(was, is);
  const parts = [end, planTexts.tasksMove(moved)];
  if (becomeLate > 0) parts.push(planTexts.becomeLate(becomeLate));
  return `${planTexts.parts(parts)}.`;
}
