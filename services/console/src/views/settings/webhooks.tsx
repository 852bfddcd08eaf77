// The reader's webhooks: addresses to which the service posts changes. The secret of a new one is
// shown once.
import { type NewWebhook, type Webhook, type WebhookFields, webhooks } from '@taskgraph/client';
import { useCallback, useId, useState } from 'react';
import { messages } from '../../messages/messages.ts';
import { settings as texts } from '../../messages/texts/settings.ts';
import { ProposalBox, useProposal } from '../../panel/access/proposal.tsx';
import { note } from '../../session/notices.ts';
import { AccountList, Act, type ShownSecret, useShownSecret } from './account-list.tsx';
import { BranchLink, ConditionFields, conditionsFrom, conditionTexts } from './condition-fields.tsx';
import { CreationForm } from './creation-form.tsx';
import { NewSecret } from './new-secret.tsx';
import { accountRefusal, useAccountRead } from './own-account.ts';
import { Read, Section } from './section.tsx';

const MOST_CHARACTERS = 100;
const LONGEST_ADDRESS = 2_048;
/** The types that the form offers. */
const EVENTS = ['node.added', 'node.unblocked', 'node.completed', 'node.due', 'node.trashed'] as const;
const HOUR_MS = 3_600_000;
const REPLAY_HOURS = [1, 24, 168] as const;
const ownWebhooks = webhooks({ url: location.origin, session: true });

export function Webhooks() {
  const reading = useAccountRead(ownWebhooks.list);
  const secret = useShownSecret(reading.reload);
  return (
    <Section title={texts.webhooks} lead={texts.webhooksLead}>
      <AccountList reading={reading} label={texts.webhooks} none={texts.noWebhooks}>
        {(webhook) => <WebhookRow key={webhook.id} webhook={webhook} secret={secret} onChange={reading.reload} />}
      </AccountList>
      <NewSecret lead={texts.newSecretLead} label={texts.newSecret} value={secret.value} onHide={secret.hide} />
      <WebhookForm onAdd={(added) => secret.show(added.hook.id, added.secret)} />
    </Section>
  );
}

interface WebhookRowProps {
  readonly webhook: Webhook;
  readonly secret: ShownSecret;
  readonly onChange: () => void;
}

function WebhookRow({ webhook, secret, onChange }: WebhookRowProps) {
  const { id, name, url, root, state } = webhook;
  const [isOpen, setIsOpen] = useState(false);
  const attempts = useId();
  const proposing = useProposal(onChange, accountRefusal);
  const act = async (work: () => Promise<unknown>, done: string) => {
    try {
      await work();
      note('done', done);
      onChange();
    } catch (error) {
      note('refused', accountRefusal(error));
    }
  };
  const rotate = async () => ({
    lines: [texts.rotateSecretLead(name)],
    confirm: texts.rotateSecretConfirm,
    async act() {
      secret.show(id, (await ownWebhooks.rotate(id)).secret);
      return texts.secretRotated(name);
    },
  });
  const remove = async () => ({
    lines: [texts.deleteWebhookLead(name)],
    confirm: texts.deleteWebhookConfirm,
    async act() {
      await ownWebhooks.delete(id);
      secret.forget(id);
      return texts.webhookDeleted(name);
    },
  });
  const isDisabled = state === 'disabled';
  const enable = () => act(() => ownWebhooks.update(id, { enabled: isDisabled }), texts.webhookChanged(name));
  return (
    <li>
      <strong dir="auto">{name}</strong>
      <span className="quiet" dir="ltr">
        {url}
      </span>
      <span className="quiet">
        {factsOf(webhook).join(' · ')}
        <BranchLink name={name} root={root} />
      </span>
      <p className="acts">
        <button
          type="button"
          aria-label={texts.attemptsOf(name)}
          aria-expanded={isOpen}
          aria-controls={isOpen ? attempts : undefined}
          onClick={() => setIsOpen(!isOpen)}
        >
          {texts.attempts}
        </button>
        <Act
          label={texts.test}
          name={texts.testOf(name)}
          act={() => act(() => ownWebhooks.test(id), texts.tested(name))}
        />
        <Act
          label={isDisabled ? texts.enableWebhook : texts.disableWebhook}
          name={isDisabled ? texts.enableWebhookOf(name) : texts.disableWebhookOf(name)}
          act={enable}
        />
        <Act
          label={texts.rotateSecret}
          name={texts.rotateSecretOf(name)}
          act={(from) => proposing.propose(rotate, from)}
        />
        <Act
          label={texts.deleteWebhook}
          name={texts.deleteWebhookOf(name)}
          act={(from) => proposing.propose(remove, from)}
        />
      </p>
      <ProposalBox {...proposing} />
      {isOpen && (
        <div id={attempts} className="stack">
          <Attempts id={id} name={name} />
          <ReplayForm id={id} name={name} />
        </div>
      )}
    </li>
  );
}

function factsOf({ state, reason, events, where, lastSuccess }: Webhook): string[] {
  return [
    texts.webhookStates[state],
    ...(reason === null ? [] : [texts.webhookReasons[reason]]),
    ...(events.length === 0 ? [] : [texts.onlySomeEvents]),
    ...conditionTexts(where ?? {}),
    lastSuccess === null ? texts.neverAccepted : texts.lastAccepted(messages.moment(lastSuccess)),
  ];
}

function Attempts({ id, name }: { readonly id: string; readonly name: string }) {
  const reading = useAccountRead(useCallback(() => ownWebhooks.deliveries(id), [id]));
  return (
    <Read reading={reading}>
      {(all) =>
        all.length === 0 ? (
          <p className="hint">{texts.noAttempts}</p>
        ) : (
          <ul aria-label={texts.attemptsOf(name)}>
            {all.map(({ time, messageId, attempt, outcome, status }) => (
              <li key={`${time} ${messageId} ${attempt}`} className="quiet">
                {[
                  messages.moment(time),
                  texts.outcomes[outcome],
                  ...(status === null ? [] : [texts.answered(status)]),
                  ...(attempt === 1 ? [] : [texts.attemptNumber(attempt)]),
                ].join(' · ')}
              </li>
            ))}
          </ul>
        )
      }
    </Read>
  );
}

/** Sends the changes of the last hours again. */
function ReplayForm({ id, name }: { readonly id: string; readonly name: string }) {
  const field = useId();
  const create = async (fields: FormData) => {
    const since = new Date(Date.now() - Number(fields.get('hours')) * HOUR_MS).toISOString();
    const { truncated } = await ownWebhooks.replay(id, since);
    return truncated === true ? texts.replayedInPart(name) : texts.replayed(name);
  };
  return (
    <CreationForm submit={texts.replay} create={create}>
      <div className="field">
        <label htmlFor={field}>{texts.replayLabel(name)}</label>
        <select id={field} name="hours" defaultValue={REPLAY_HOURS[0]}>
          {REPLAY_HOURS.map((hours) => (
            <option key={hours} value={hours}>
              {texts.lastHours(hours)}
            </option>
          ))}
        </select>
      </div>
    </CreationForm>
  );
}

/** The fields of a form. Without chosen types, the webhook has all. */
function fieldsOf(form: FormData): WebhookFields {
  const name = String(form.get('name')).trim();
  return {
    url: String(form.get('url')).trim(),
    ...(name === '' ? {} : { name }),
    events: EVENTS.filter((type) => form.get(type) !== null),
    ...conditionsFrom(form),
  };
}

function WebhookForm({ onAdd }: { readonly onAdd: (added: NewWebhook) => void }) {
  const id = useId();
  const create = async (fields: FormData) => {
    onAdd(await ownWebhooks.add(fieldsOf(fields)));
    return texts.webhookAdded;
  };
  return (
    <CreationForm submit={texts.addWebhook} create={create}>
      <div className="field">
        <label htmlFor={`${id}-url`}>{texts.webhookAddress}</label>
        <input
          id={`${id}-url`}
          name="url"
          type="url"
          dir="ltr"
          autoComplete="off"
          maxLength={LONGEST_ADDRESS}
          required
        />
      </div>
      <div className="field">
        <label htmlFor={`${id}-name`}>{texts.webhookName}</label>
        <input id={`${id}-name`} name="name" type="text" autoComplete="off" maxLength={MOST_CHARACTERS} />
      </div>
      <fieldset className="choices">
        <legend>{texts.eventsLegend}</legend>
        {EVENTS.map((type) => (
          <label key={type}>
            <input type="checkbox" name={type} />
            {texts.eventChoices[type]}
          </label>
        ))}
      </fieldset>
      <ConditionFields />
    </CreationForm>
  );
}
