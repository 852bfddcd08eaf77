// The reader's calendars: addresses from which calendar programs read due dates. The address of a new
// one is shown once.
import { type Calendar, type CalendarFields, calendars, type NewCalendar } from '@taskgraph/client';
import { useId, useState } from 'react';
import { followLink } from '../../history.ts';
import { messages } from '../../messages/messages.ts';
import { settings as texts } from '../../messages/texts/settings.ts';
import { ProposalBox, useProposal } from '../../panel/access/proposal.tsx';
import { pathOf } from '../../routes.ts';
import { CreationForm } from './creation-form.tsx';
import { NewSecret } from './new-secret.tsx';
import { accountRefusal, useAccountRead } from './own-account.ts';
import { Read, Section } from './section.tsx';

const MOST_CHARACTERS = 100;
/** The conditions of the form: tasks of the reader, and open tasks. */
const CONDITIONS = { assignee: ['me'], status: [0, 1, 2] };
const ENTRIES = ['event', 'todo'] as const;
const UNITS = ['hour', 'day', 'week'] as const;
const ownCalendars = calendars({ url: location.origin, session: true });

export function Calendars() {
  const reading = useAccountRead(ownCalendars.list);
  const [address, setAddress] = useState<NewCalendar | null>(null);
  const show = (shown: NewCalendar) => {
    setAddress(shown);
    reading.reload();
  };
  // Hides the address once its calendar is removed.
  const forget = (id: string) => setAddress((shown) => (shown?.calendar.id === id ? null : shown));
  return (
    <Section title={texts.calendars} lead={texts.calendarsLead}>
      <Read reading={reading}>
        {(all) =>
          all.length === 0 ? (
            <p className="hint">{texts.noCalendars}</p>
          ) : (
            <ul className="people" aria-label={texts.calendars}>
              {all.map((calendar) => (
                <CalendarRow
                  key={calendar.id}
                  calendar={calendar}
                  onAddress={show}
                  onRemove={forget}
                  onChange={reading.reload}
                />
              ))}
            </ul>
          )
        }
      </Read>
      <NewSecret
        lead={texts.newAddressLead}
        label={texts.newAddress}
        value={address?.url ?? null}
        onHide={() => setAddress(null)}
      />
      <CalendarForm onAddress={show} />
    </Section>
  );
}

interface CalendarRowProps {
  readonly calendar: Calendar;
  readonly onAddress: (shown: NewCalendar) => void;
  readonly onRemove: (id: string) => void;
  readonly onChange: () => void;
}

function CalendarRow({ calendar, onAddress, onRemove, onChange }: CalendarRowProps) {
  const { id, name, root } = calendar;
  const proposing = useProposal(onChange, accountRefusal);
  const rotate = async () => ({
    lines: [texts.rotateLead(name)],
    confirm: texts.rotateConfirm,
    async act() {
      onAddress(await ownCalendars.rotate(id));
      return texts.rotated(name);
    },
  });
  const remove = async () => ({
    lines: [texts.removeCalendarLead(name)],
    confirm: texts.removeCalendarConfirm,
    async act() {
      await ownCalendars.remove(id);
      onRemove(id);
      return texts.calendarRemoved(name);
    },
  });
  return (
    <li>
      <strong dir="auto">{name}</strong>
      <span className="quiet">
        {factsOf(calendar).join(' · ')}
        {root !== null && ' · '}
        {root !== null && (
          <a href={pathOf({ view: 'task', id: root })} aria-label={texts.branchOf(name)} onClick={followLink}>
            {texts.inBranch}
          </a>
        )}
      </span>
      <p className="acts">
        <button
          type="button"
          aria-label={texts.rotateOf(name)}
          onClick={({ currentTarget }) => proposing.propose(rotate, currentTarget)}
        >
          {texts.rotate}
        </button>
        <button
          type="button"
          aria-label={texts.removeCalendarOf(name)}
          onClick={({ currentTarget }) => proposing.propose(remove, currentTarget)}
        >
          {texts.removeCalendar}
        </button>
      </p>
      <ProposalBox {...proposing} />
    </li>
  );
}

function factsOf({ as, where, planned, createdTime, lastUsed }: Calendar): string[] {
  return [
    texts.entries[as],
    ...conditionsOf(where ?? {}),
    ...(planned === null ? [] : [texts.withPlan]),
    texts.created(messages.moment(createdTime)),
    lastUsed === null ? texts.neverRequested : texts.lastRequested(messages.moment(lastUsed)),
  ];
}

/** The conditions that the form has too, and whether there are others. */
function conditionsOf(where: Readonly<Record<string, unknown>>): string[] {
  const isSame = (name: keyof typeof CONDITIONS) => String(where[name]) === String(CONDITIONS[name]);
  const others = Object.keys(where).filter((name) => !(name in CONDITIONS && isSame(name as keyof typeof CONDITIONS)));
  return [
    ...(isSame('assignee') ? [texts.onlyMine] : []),
    ...(isSame('status') ? [texts.onlyOpen] : []),
    ...(others.length === 0 ? [] : [texts.moreConditions]),
  ];
}

/** The fields of a form. Without a unit, there is no plan. */
function fieldsOf(form: FormData): CalendarFields {
  const unit = UNITS.find((each) => each === form.get('unit'));
  const where = {
    ...(form.get('mine') === null ? {} : { assignee: CONDITIONS.assignee }),
    ...(form.get('open') === null ? {} : { status: CONDITIONS.status }),
  };
  return {
    name: String(form.get('name')).trim(),
    as: form.get('as') === 'todo' ? 'todo' : 'event',
    where,
    ...(unit === undefined ? {} : { planned: { unit } }),
  };
}

function CalendarForm({ onAddress }: { readonly onAddress: (shown: NewCalendar) => void }) {
  const id = useId();
  const create = async (fields: FormData) => {
    onAddress(await ownCalendars.create(fieldsOf(fields)));
    return texts.calendarCreated;
  };
  return (
    <CreationForm submit={texts.createCalendar} create={create}>
      <div className="field">
        <label htmlFor={`${id}-name`}>{texts.calendarName}</label>
        <input id={`${id}-name`} name="name" type="text" autoComplete="off" maxLength={MOST_CHARACTERS} required />
      </div>
      <fieldset className="choices">
        <legend>{texts.entriesLegend}</legend>
        {ENTRIES.map((as) => (
          <label key={as}>
            <input type="radio" name="as" value={as} defaultChecked={as === 'event'} />
            {texts.entryChoices[as]}
          </label>
        ))}
      </fieldset>
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
      <div className="field">
        <label htmlFor={`${id}-unit`}>{texts.planLabel}</label>
        <select id={`${id}-unit`} name="unit" defaultValue="">
          <option value="">{texts.withoutPlan}</option>
          {UNITS.map((unit) => (
            <option key={unit} value={unit}>
              {texts.planUnits[unit]}
            </option>
          ))}
        </select>
      </div>
    </CreationForm>
  );
}
