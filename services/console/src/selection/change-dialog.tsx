// The question before a change of tasks: its value, and the tasks that it skips.
import { useState } from 'react';
import { mayEdit } from '../graph/task.ts';
import { selection as texts } from '../messages/texts/selection.ts';
import { QuestionDialog } from '../parts/question-dialog.tsx';
import { useTasks, useWorkspace } from '../session/workspace.tsx';
import { applyChange, namedTasks, problemOf, skipTexts } from './apply-change.ts';
import type { ChangeQuestion } from './begin-change.ts';
import { planChange, type TaskChange } from './task-changes.ts';
import { type Answer, changeOf, firstAnswer, ValueFields } from './value-fields.tsx';

interface ChangeDialogProps {
  readonly question: ChangeQuestion;
  readonly onClose: () => void;
}

export function ChangeDialog({ question, onClose }: ChangeDialogProps) {
  const { replica, graph } = useWorkspace();
  const { ids } = question;
  const tasks = useTasks((each) => ids.map((id) => each.task(id)).filter((task) => task !== undefined));
  const [answer, setAnswer] = useState<Answer>(() => firstAnswer(question, tasks));
  const [fault, setFault] = useState<string | null>(null);
  const change = question.kind === 'change' ? question.change : changeOf(question.field, answer);
  const plan = typeof change === 'string' ? null : planChange(graph, ids, change);
  const isValid = () => {
    const problem = plan === null ? String(change) : problemOf(plan);
    setFault(problem);
    return problem === null;
  };
  const viewed = question.kind === 'field' && question.field === 'move' ? [] : tasks.filter((task) => !mayEdit(task));
  const skipped = plan?.skipped ?? new Map(viewed.length === 0 ? [] : [['viewOnly', viewed] as const]);
  return (
    <QuestionDialog
      title={titleFor(question, namedTasks(tasks))}
      confirm={texts.apply}
      isValid={isValid}
      onEnd={(isConfirmed) => {
        onClose();
        if (isConfirmed && typeof change !== 'string') void applyChange(replica, graph, ids, change);
      }}
    >
      {question.kind === 'field' && (
        <ValueFields
          field={question.field}
          tasks={tasks}
          answer={answer}
          onChange={(next) => {
            setFault(null);
            setAnswer(next);
          }}
        />
      )}
      {skipTexts(skipped).map((line) => (
        <p key={line} className="quiet">
          {line}
        </p>
      ))}
      {fault !== null && (
        <p className="late" role="alert">
          {fault}
        </p>
      )}
    </QuestionDialog>
  );
}

function titleFor(question: ChangeQuestion, named: string): string {
  if (question.kind === 'field') return texts.titles[question.field](named);
  const { change }: { readonly change: TaskChange } = question;
  return change.kind === 'status' ? texts.statusTitles[change.value](named) : texts.titles[change.kind](named);
}
