// The reader's bots: users without sign-in, for programs. Each has an address, for sharing, and its
// own API tokens.
import { type Bot, bots } from '@taskgraph/client';
import { useId, useMemo, useState } from 'react';
import { settings as texts } from '../../messages/texts/settings.ts';
import { CopyField } from '../../panel/access/copy-field.tsx';
import { ProposalBox, useProposal } from '../../panel/access/proposal.tsx';
import { AccountList, Act } from './account-list.tsx';
import { CreationForm } from './creation-form.tsx';
import { accountRefusal, useAccountRead } from './own-account.ts';
import { Section } from './section.tsx';
import { TokenList } from './tokens.tsx';

const MOST_CHARACTERS = 100;
const ownBots = bots({ url: location.origin, session: true });

export function Bots() {
  const reading = useAccountRead(ownBots.list);
  return (
    <Section title={texts.bots} lead={texts.botsLead}>
      <AccountList reading={reading} label={texts.bots} none={texts.noBots}>
        {(bot) => <BotRow key={bot.id} bot={bot} onRemove={reading.reload} />}
      </AccountList>
      <BotForm onCreate={reading.reload} />
    </Section>
  );
}

function BotRow({ bot, onRemove }: { readonly bot: Bot; readonly onRemove: () => void }) {
  const { id, name, email } = bot;
  const [isOpen, setIsOpen] = useState(false);
  const tokens = useId();
  const calls = useMemo(() => ownBots.tokens(id), [id]);
  const proposing = useProposal(onRemove, accountRefusal);
  const prepare = async () => ({
    lines: [texts.removeBotLead(name)],
    confirm: texts.removeBotConfirm,
    async act() {
      await ownBots.remove(id);
      return texts.botRemoved(name);
    },
  });
  return (
    <li>
      <strong dir="auto">{name}</strong>
      <CopyField label={texts.botAddress(name)} value={email} />
      <p className="acts">
        <button
          type="button"
          aria-label={texts.botTokensOf(name)}
          aria-expanded={isOpen}
          aria-controls={isOpen ? tokens : undefined}
          onClick={() => setIsOpen(!isOpen)}
        >
          {texts.tokens}
        </button>
        <Act label={texts.removeBot} name={texts.removeBotOf(name)} act={(from) => proposing.propose(prepare, from)} />
      </p>
      <ProposalBox {...proposing} />
      {isOpen && (
        <div id={tokens} className="stack">
          <TokenList calls={calls} label={texts.botTokensOf(name)} isOfBot />
        </div>
      )}
    </li>
  );
}

function BotForm({ onCreate }: { readonly onCreate: () => void }) {
  const id = useId();
  const create = async (fields: FormData) => {
    const { name } = await ownBots.create(String(fields.get('name')).trim());
    onCreate();
    return texts.botCreated(name);
  };
  return (
    <CreationForm submit={texts.createBot} create={create}>
      <div className="field">
        <label htmlFor={id}>{texts.botName}</label>
        <input id={id} name="name" type="text" autoComplete="off" maxLength={MOST_CHARACTERS} required />
      </div>
    </CreationForm>
  );
}
