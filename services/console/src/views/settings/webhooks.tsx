// The reader's webhooks: addresses to which the service posts changes. The secret of a new one is
// shown once.
import { type NewWebhook, type Webhook, type WebhookFields, webhooks } from '@taskgraph/client';
import { useCallback, useId, useState } from 'react';
import { messages } from '../../messages/messages.ts';
import { settings as texts } from '../../messages/texts/settings.ts';
import { ProposalBox, useProposal } from '../../panel/access/proposal.tsx';
import { note } from '../../session/notices.ts';
import { CreationForm } from './creation-form.tsx';
import { NewSecret } from './new-secret.tsx';
import { accountRefusal, useAccountRead } from './own-account.ts';
import { Read, Section } from './section.tsx';

const MOST_CHARACTERS = 100;
const LONGEST_ADDRESS = 2_048;
/** The types that the form offers. */
const EVENTS = ['node.added', 'node.unblocked', 'node.completed', 'node.trashed'] as const;
const ownWebhooks = webhooks({ url: location.origin, session: true });

export function Webhooks() {
  const reading = useAccountRead(ownWebhooks.list);
  const [created, setCreated] = useState<NewWebhook | null>(null);
  const show = (shown: NewWebhook) => {
    setCreated(shown);
    reading.reload();
  };
  // Hides the secret once its webhook is deleted.
  const forget = (id: string) => setCreated((shown) => (shown?.hook.id === id ? null : shown));
  return (
    <Section title={texts.webhooks} lead={texts.webhooksLead}>
      <Read reading={reading}>
        {(all) =>
          all.length === 0 ? (
            <p className="hint">{texts.noWebhooks}</p>
          ) : (
            <ul className="people" aria-label={texts.webhooks}>
              {all.map((webhook) => (
                <WebhookRow
                  key={webhook.id}
                  webhook={webhook}
                  onSecret={show}
                  onDelete={forget}
                  onChange={reading.reload}
                />
              ))}
            </ul>
          )
        }
      </Read>
      <NewSecret
        lead={texts.newSecretLead}
        label={texts.newSecret}
        value={created?.secret ?? null}
        onHide={() => setCreated(null)}
      />
      <WebhookForm onSecret={show} />
    </Section>
  );
}

interface WebhookRowProps {
  readonly webhook: Webhook;
  readonly onSecret: (created: NewWebhook) => void;
  readonly onDelete: (id: string) => void;
  readonly onChange: () => void;
}

function WebhookRow({ webhook, onSecret, onDelete, onChange }: WebhookRowProps) {
  const { id, name, url, state } = webhook;
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
      onSecret(await ownWebhooks.rotate(id));
      return texts.secretRotated(name);
    },
  });
  const remove = async () => ({
    lines: [texts.deleteWebhookLead(name)],
    confirm: texts.deleteWebhookConfirm,
    async act() {
      await ownWebhooks.delete(id);
      onDelete(id);
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
      <span className="quiet">{factsOf(webhook).join(' · ')}</span>
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
        </div>
      )}
    </li>
  );
}

interface ActProps {
  readonly label: string;
  /** The label with the webhook, for readers who do not see the row. */
  readonly name: string;
  readonly act: (from: HTMLElement) => unknown;
}

function Act({ label, name, act }: ActProps) {
  return (
    <button type="button" aria-label={name} onClick={({ currentTarget }) => void act(currentTarget)}>
      {label}
    </button>
  );
}

function factsOf({ state, reason, events, root, lastSuccess }: Webhook): string[] {
  return [
    texts.webhookStates[state],
    ...(reason === null ? [] : [texts.webhookReasons[reason]]),
    ...(events.length === 0 ? [] : [texts.onlySomeEvents]),
    ...(root === null ? [] : [texts.inBranch]),
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

/** The fields of a form. Without chosen types, the webhook has all. */
function fieldsOf(form: FormData): WebhookFields {
  const name = String(form.get('name')).trim();
  return {
    url: String(form.get('url')).trim(),
    ...(name === '' ? {} : { name }),
    events: EVENTS.filter((type) => form.get(type) !== null),
  };
}

function WebhookForm({ onSecret }: { readonly onSecret: (created: NewWebhook) => void }) {
  const id = useId();
  const create = async (fields: FormData) => {
    onSecret(await ownWebhooks.add(fieldsOf(fields)));
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
    </CreationForm>
  );
}
