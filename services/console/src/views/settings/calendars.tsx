// The reader's calendars: addresses from which calendar programs read due dates. The address of a new
// one is shown once.
import { type Calendar, type CalendarFields, calendars, type NewCalendar } from '@taskgraph/client';
import { useId } from 'react';
import { messages } from '../../messages/messages.ts';
import { settings as texts } from '../../messages/texts/settings.ts';
import { ProposalBox, useProposal } from '../../panel/access/proposal.tsx';
import { AccountList, Act, type ShownSecret, useShownSecret } from './account-list.tsx';
import { BranchLink, ConditionFields, conditionsFrom, conditionTexts } from './condition-fields.tsx';
import { CreationForm } from './creation-form.tsx';
import { NewSecret } from './new-secret.tsx';
import { accountRefusal, useAccountRead } from './own-account.ts';
import { Section } from './section.tsx';

const MOST_CHARACTERS = 100;
const ENTRIES = ['event', 'todo'] as const;
const UNITS = ['hour', 'day', 'week'] as const;
const ownCalendars = calendars({ url: location.origin, session: true });

export function Calendars() {
  const reading = useAccountRead(ownCalendars.list);
  const address = useShownSecret(reading.reload);
  return (
    <Section title={texts.calendars} lead={texts.calendarsLead}>
      <AccountList reading={reading} label={texts.calendars} none={texts.noCalendars}>
        {(calendar) => (
          <CalendarRow key={calendar.id} calendar={calendar} address={address} onChange={reading.reload} />
        )}
      </AccountList>
      <NewSecret lead={texts.newAddressLead} label={texts.newAddress} value={address.value} onHide={address.hide} />
      <CalendarForm onCreate={({ calendar, url }) => address.show(calendar.id, url)} />
    </Section>
  );
}

interface CalendarRowProps {
  readonly calendar: Calendar;
  readonly address: ShownSecret;
  readonly onChange: () => void;
}

function CalendarRow({ calendar, address, onChange }: CalendarRowProps) {
  const { id, name, root } = calendar;
  const proposing = useProposal(onChange, accountRefusal);
  const rotate = async () => ({
    lines: [texts.rotateLead(name)],
    confirm: texts.rotateConfirm,
    async act() {
      address.show(id, (await ownCalendars.rotate(id)).url);
      return texts.rotated(name);
    },
  });
  const remove = async () => ({
    lines: [texts.removeCalendarLead(name)],
    confirm: texts.removeCalendarConfirm,
    async act() {
      await ownCalendars.remove(id);
      address.forget(id);
      return texts.calendarRemoved(name);
    },
  });
  return (
    <li>
      <strong dir="auto">{name}</strong>
      <span className="quiet">
        {factsOf(calendar).join(' · ')}
        <BranchLink name={name} root={root} />
      </span>
      <p className="acts">
        <Act label={texts.rotate} name={texts.rotateOf(name)} act={(from) => proposing.propose(rotate, from)} />
        <Act
          label={texts.removeCalendar}
          name={texts.removeCalendarOf(name)}
          act={(from) => proposing.propose(remove, from)}
        />
      </p>
      <ProposalBox {...proposing} />
    </li>
  );
}

function factsOf({ as, where, planned, createdTime, lastUsed }: Calendar): string[] {
  return [
    texts.entries[as],
    ...conditionTexts(where ?? {}),
    ...(planned === null ? [] : [texts.withPlan]),
    texts.created(messages.moment(createdTime)),
    lastUsed === null ? texts.neverRequested : texts.lastRequested(messages.moment(lastUsed)),
  ];
}

/** The fields of a form. Without a unit, there is no plan. */
function fieldsOf(form: FormData): CalendarFields {
  const unit = UNITS.find((each) => each === form.get('unit'));
  return {
    name: String(form.get('name')).trim(),
    as: form.get('as') === 'todo' ? 'todo' : 'event',
    ...conditionsFrom(form),
    ...(unit === undefined ? {} : { planned: { unit } }),
  };
}

function CalendarForm({ onCreate }: { readonly onCreate: (created: NewCalendar) => void }) {
  const id = useId();
  const create = async (fields: FormData) => {
    onCreate(await ownCalendars.create(fieldsOf(fields)));
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
      <ConditionFields />
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
