// Which tasks a calendar or a webhook is about: a branch, and conditions. The forms offer the common
// conditions; programs can set others.
import { useId } from 'react';
import { followLink } from '../../history.ts';
import { settings as texts } from '../../messages/texts/settings.ts';
import { pathOf } from '../../routes.ts';

/** Tasks of the reader, and open tasks. */
const CONDITIONS = { assignee: ['me'], status: [0, 1, 2] };
const LONGEST_LINK = 2_048;
const ID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
/** An id, or a text with one, such as the address of a task. */
const LINK_PATTERN = `.*${ID}.*`;

export function ConditionFields() {
  const id = useId();
  return (
    <>
      <div className="field">
        <label htmlFor={id}>{texts.branchLabel}</label>
        <input
          id={id}
          name="branch"
          type="text"
          dir="ltr"
          autoComplete="off"
          maxLength={LONGEST_LINK}
          pattern={LINK_PATTERN}
          title={texts.branchFormat}
        />
      </div>
      <fieldset className="choices">
        <legend>{texts.conditionsLegend}</legend>
        <label>
          <input type="checkbox" name="mine" />
          {texts.onlyMine}
        </label>
        <label>
          <input type="checkbox" name="open" />
          {texts.onlyOpen}
        </label>
      </fieldset>
    </>
  );
}

interface Conditions {
  readonly root?: string;
  readonly where?: Partial<typeof CONDITIONS>;
}

/** The branch and the conditions of a form; nothing for what is not chosen. */
export function conditionsFrom(form: FormData): Conditions {
  // The last id of a text, since the first one may be part of a host's name.
  const root = String(form.get('branch') ?? '')
    .match(new RegExp(ID, 'g'))
    ?.at(-1);
  const where = {
    ...(form.get('mine') === null ? {} : { assignee: CONDITIONS.assignee }),
    ...(form.get('open') === null ? {} : { status: CONDITIONS.status }),
  };
  return { ...(root === undefined ? {} : { root }), ...(Object.keys(where).length === 0 ? {} : { where }) };
}

/** The conditions that the form has too, and whether there are others. */
export function conditionTexts(where: Readonly<Record<string, unknown>>): string[] {
  const isSame = (name: keyof typeof CONDITIONS) => String(where[name]) === String(CONDITIONS[name]);
  const others = Object.keys(where).filter((name) => !(name in CONDITIONS && isSame(name as keyof typeof CONDITIONS)));
  return [
    ...(isSame('assignee') ? [texts.onlyMine] : []),
    ...(isSame('status') ? [texts.onlyOpen] : []),
    ...(others.length === 0 ? [] : [texts.moreConditions]),
  ];
}

/** What follows the facts of an entry: a link to the root of its branch, if it has one. */
export function BranchLink({ name, root }: { readonly name: string; readonly root: string | null }) {
  if (root === null) return null;
  return (
    <>
      {' · '}
      <a href={pathOf({ view: 'task', id: root })} aria-label={texts.branchOf(name)} onClick={followLink}>
        {texts.inBranch}
      </a>
    </>
  );
}
