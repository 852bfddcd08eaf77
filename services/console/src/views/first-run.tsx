// The first steps in an empty account: name the goal, then what must be done before it, or import a
// file. It stays until the reader ends it. Rule: CON30.
import { type FormEvent, useEffect, useId, useRef, useState } from 'react';
import { MOST_TITLE_CHARACTERS } from '../graph/limits.ts';
import { goTo } from '../history.ts';
import { titleOf } from '../messages/messages.ts';
import { files as texts } from '../messages/texts/files.ts';
import { createTask } from '../session/acts.ts';
import { useTask, useWorkspace } from '../session/workspace.tsx';
import '../style/files.css';

/** Null before the goal is named; its id afterwards. */
export type GoalState = null | 'saving' | { readonly id: string };

interface FirstRunProps {
  readonly goal: GoalState;
  readonly onGoal: (goal: GoalState) => void;
  readonly onImport: () => void;
  readonly onEnd: () => void;
}

export function FirstRun({ goal, onGoal, onImport, onEnd }: FirstRunProps) {
  const { replica } = useWorkspace();
  const goalId = goal === null || goal === 'saving' ? null : goal.id;
  const named = useTask(goalId ?? '');
  const [steps, setSteps] = useState<readonly string[]>([]);
  const id = useId();
  // Somebody has moved the goal to the trash.
  const isGone = goalId !== null && named === undefined;
  useEffect(() => {
    if (isGone) onEnd();
  }, [isGone, onEnd]);
  return (
    <section className="first-run" aria-labelledby={id}>
      <h2 id={id}>{texts.firstSteps}</h2>
      {named === undefined ? (
        <>
          <StepField
            key="goal"
            label={texts.goal}
            help={texts.goalHelp}
            submit={texts.saveGoal}
            save={async (title) => {
              onGoal('saving');
              const made = await createTask(replica, title);
              onGoal(made === null ? null : { id: made });
              return made !== null;
            }}
          />
          <p className="quiet">
            {texts.dropHere}{' '}
            <button type="button" onClick={onImport}>
              {texts.importFile}
            </button>
          </p>
        </>
      ) : (
        <>
          <StepField
            key="step"
            isFocused
            label={texts.before}
            help={texts.beforeHelp(titleOf(named))}
            submit={texts.saveStep}
            save={async (title) => {
              const made = await createTask(replica, title, named.id);
              if (made !== null) setSteps((before) => [...before, title]);
              return made !== null;
            }}
          />
          {steps.length > 0 && (
            <ol aria-label={texts.steps}>
              {steps.map((title, place) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: the list only grows, and titles repeat.
                <li key={place}>
                  <span dir="auto">{title}</span>
                </li>
              ))}
            </ol>
          )}
          <p className="first-run-acts">
            <button
              type="button"
              onClick={() => {
                onEnd();
                goTo('/graph');
              }}
            >
              {texts.showGraph}
            </button>
            <button
              type="button"
              onClick={() => {
                document.getElementById('content')?.focus();
                onEnd();
              }}
            >
              {texts.finish}
            </button>
          </p>
        </>
      )}
    </section>
  );
}

interface StepFieldProps {
  readonly label: string;
  readonly help: string;
  readonly submit: string;
  /** Whether it takes the focus, because the field before it had it. */
  readonly isFocused?: boolean;
  /** Returns whether the service has the task. */
  readonly save: (title: string) => Promise<boolean>;
}

function StepField({ label, help, submit, isFocused = false, save }: StepFieldProps) {
  const field = useRef<HTMLInputElement>(null);
  const id = useId();
  useEffect(() => {
    if (isFocused) field.current?.focus();
  }, [isFocused]);
  const send = (event: FormEvent) => {
    event.preventDefault();
    const input = field.current;
    const title = input?.value.trim() ?? '';
    if (input === null || title === '') return;
    input.value = '';
    void save(title).then((isSaved) => {
      // The text is the reader's; it comes back unless they write another one.
      if (!isSaved && input.value === '') input.value = title;
    });
  };
  return (
    <form className="field" onSubmit={send}>
      <label htmlFor={id}>{label}</label>
      <div className="first-run-field">
        <input
          id={id}
          ref={field}
          type="text"
          maxLength={MOST_TITLE_CHARACTERS}
          autoComplete="off"
          aria-describedby={`${id}help`}
        />
        <button type="submit">{submit}</button>
      </div>
      <p className="quiet" id={`${id}help`}>
        {help}
      </p>
    </form>
  );
}
