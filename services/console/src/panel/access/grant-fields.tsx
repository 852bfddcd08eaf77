// The fields of a share: level, scope and end.
import type { Grant } from '@taskgraph/client';
import { useId } from 'react';
import { access as texts } from '../../messages/texts/access.ts';
import { endOfDay } from './end-of-day.ts';

export interface GrantChoice {
  readonly level: Grant['level'];
  readonly branch: boolean;
  readonly due: string | null;
}

const LEVELS = [1, 2, 3] as const;
const VIEWER = 3;

/** What the reader chose in a form with `GrantFields`. Throws a DayFault if the end is no day. */
export function choiceIn(form: HTMLFormElement): GrantChoice {
  const fields = new FormData(form);
  return {
    level: Number(fields.get('level')),
    branch: fields.get('scope') === 'branch',
    due: endOfDay(String(fields.get('due') ?? '')),
  };
}

export function GrantFields({ grant }: { readonly grant?: Grant }) {
  const id = useId();
  return (
    <>
      <div className="field">
        <label htmlFor={id}>{texts.level}</label>
        <select id={id} name="level" defaultValue={grant?.level ?? VIEWER}>
          {LEVELS.map((level) => (
            <option key={level} value={level}>
              {`${texts.levels[level]}: ${texts.levelHelp[level]}`}
            </option>
          ))}
        </select>
      </div>
      <ScopeField isBranch={grant?.branch ?? true} />
      <DayField due={grant?.due ?? null} />
    </>
  );
}

/** Whether access covers the branch or the task alone. */
export function ScopeField({ isBranch }: { readonly isBranch: boolean }) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{texts.scope}</label>
      <select id={id} name="scope" defaultValue={isBranch ? 'branch' : 'node'}>
        <option value="branch">{texts.scopeBranch}</option>
        <option value="node">{texts.scopeNode}</option>
      </select>
    </div>
  );
}

/** A day after which access ends. */
export function DayField({ due }: { readonly due: string | null }) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{texts.due}</label>
      <input
        id={id}
        name="due"
        type="date"
        min={dayOf(new Date())}
        max="9999-12-31"
        defaultValue={due === null ? '' : dayOf(new Date(due))}
        aria-describedby={`${id}help`}
      />
      <span id={`${id}help`} className="quiet">
        {texts.dueHelp}
      </span>
    </div>
  );
}

/** The day of a time in the reader's zone. */
function dayOf(time: Date): string {
  const [month, day] = [time.getMonth() + 1, time.getDate()].map((part) => String(part).padStart(2, '0'));
  return `${time.getFullYear()}-${month}-${day}`;
}
