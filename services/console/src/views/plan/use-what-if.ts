// The open question of the reader about another effort, and its answer. Dragging asks many
// questions; the page answers at most one a frame.
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { MOST_NUMBER } from '../../graph/limits.ts';
import { COMPLETED, mayEdit, type Task } from '../../graph/task.ts';
import { type Answer, createForecast, type Question } from '../../graph/what-if.ts';
import { titleOf } from '../../messages/messages.ts';
import { planTexts } from '../../messages/texts/plan.ts';
import { replaceValue } from '../../session/field-edits.ts';
import { note } from '../../session/notices.ts';
import { useWorkspace } from '../../session/workspace.tsx';

interface WhatIf {
  readonly question: Question | null;
  /** Null if there is no question, or its task is no longer open. */
  readonly answer: Answer | null;
  readonly isDragging: boolean;
  /** The reader drags the end of a bar to this effort. `isDone`: they let go. */
  readonly drag: (task: Task, volume: number, isDone: boolean) => void;
  /** Asks about more or less effort than in the last question. */
  readonly change: (id: string, by: number) => void;
  /** Sends the effort of the question. */
  readonly accept: () => void;
  readonly discard: () => void;
}

export function useWhatIf(): WhatIf {
  const { replica, graph } = useWorkspace();
  const { question, latest, ask } = useQuestion();
  const [isDragging, setDragging] = useState(false);
  const askAbout = useCallback(
    (task: Task, volume: number) => {
      const bounded = Math.min(MOST_NUMBER, Math.max(0, volume));
      ask(bounded === task.volume ? null : { id: task.id, volume: bounded });
    },
    [ask],
  );
  const drag = useCallback(
    (task: Task, volume: number, isDone: boolean) => {
      setDragging(!isDone);
      askAbout(task, volume);
    },
    [askAbout],
  );
  return {
    question,
    answer: useAnswer(question),
    isDragging,
    drag,
    change(id, by) {
      const task = graph.task(id);
      if (task === undefined) return;
      if (!mayEdit(task)) return note('refused', planTexts.viewOnly(titleOf(task)));
      if (task.status === COMPLETED) return note('refused', planTexts.isCompleted(titleOf(task)));
      const last = latest();
      askAbout(task, (last?.id === id ? last.volume : task.volume) + by);
    },
    accept() {
      const task = question === null ? undefined : graph.task(question.id);
      ask(null);
      if (question !== null && task !== undefined) {
        void replaceValue(replica, { id: task.id, field: 'volume', seen: task.volume, value: question.volume });
      }
    },
    discard: () => ask(null),
  };
}

interface OpenQuestion {
  /** The question to answer in this frame. */
  readonly question: Question | null;
  /** The last question that was asked. */
  readonly latest: () => Question | null;
  /** Null drops the question. */
  readonly ask: (question: Question | null) => void;
}

function useQuestion(): OpenQuestion {
  const [question, setQuestion] = useState<Question | null>(null);
  const asked = useRef<Question | null>(null);
  const frame = useRef<number | null>(null);
  useEffect(
    () => () => {
      if (frame.current !== null) cancelAnimationFrame(frame.current);
    },
    [],
  );
  const ask = useCallback((next: Question | null) => {
    asked.current = next;
    frame.current ??= requestAnimationFrame(() => {
      frame.current = null;
      setQuestion(asked.current);
    });
  }, []);
  const latest = useCallback(() => asked.current, []);
  return { question, latest, ask };
}

function useAnswer(question: Question | null): Answer | null {
  const { graph, planned } = useWorkspace();
  const isAsked = question !== null;
  const forecast = useMemo(() => (isAsked ? createForecast(graph, planned) : null), [graph, planned, isAsked]);
  return useMemo(() => {
    const task = question === null ? undefined : graph.task(question.id);
    if (question === null || task === undefined || task.status === COMPLETED) return null;
    return question.volume === task.volume ? null : (forecast?.answer(question) ?? null);
  }, [graph, forecast, question]);
}
