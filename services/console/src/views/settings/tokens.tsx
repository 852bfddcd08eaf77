// The reader's API tokens, of which the service allows 100. The text of a new one is shown once, and
// is nowhere else in the page.
import type { ApiToken } from '@taskgraph/client';
import { type FormEvent, useId, useState } from 'react';
import { messages } from '../../messages/messages.ts';
import { settings as texts } from '../../messages/texts/settings.ts';
import { CopyField } from '../../panel/access/copy-field.tsx';
import { DayFault, endOfDay } from '../../panel/access/end-of-day.ts';
import { DayField } from '../../panel/access/grant-fields.tsx';
import { ProposalBox, useProposal } from '../../panel/access/proposal.tsx';
import { note } from '../../session/notices.ts';
import { accountRefusal, ownAccount, useAccountRead } from './own-account.ts';
import { chosenScopes, ScopeChoice, scopeText } from './scope-choice.tsx';
import { Read, Section } from './section.tsx';

const MOST_CHARACTERS = 100;

export function Tokens() {
  const reading = useAccountRead(ownAccount.tokens.list);
  const [plaintext, setPlaintext] = useState<string | null>(null);
  return (
    <Section title={texts.tokens} lead={texts.tokensLead}>
      <Read reading={reading}>
        {(tokens) =>
          tokens.length === 0 ? (
            <p className="hint">{texts.noTokens}</p>
          ) : (
            <ul className="people" aria-label={texts.tokens}>
              {tokens.map((token) => (
                <TokenRow key={token.id} token={token} onRevoke={reading.reload} />
              ))}
            </ul>
          )
        }
      </Read>
      {plaintext !== null && (
        <div className="proposal" role="status">
          <p>{texts.newTokenLead}</p>
          <CopyField label={texts.newToken} value={plaintext} />
          <p className="acts">
            <button type="button" className="plain" onClick={() => setPlaintext(null)}>
              {texts.hideToken}
            </button>
          </p>
        </div>
      )}
      <TokenForm
        onCreate={(text) => {
          setPlaintext(text);
          reading.reload();
        }}
      />
    </Section>
  );
}

function TokenForm({ onCreate }: { readonly onCreate: (plaintext: string) => void }) {
  const id = useId();
  const [isSending, setIsSending] = useState(false);
  const create = async (form: HTMLFormElement) => {
    const fields = new FormData(form);
    setIsSending(true);
    try {
      const { plaintext } = await ownAccount.tokens.create({
        name: String(fields.get('name')).trim(),
        expires: endOfDay(String(fields.get('due') ?? '')),
        ...chosenScopes(fields),
      });
      form.reset();
      note('done', texts.tokenCreated);
      onCreate(plaintext);
    } catch (error) {
      note('refused', error instanceof DayFault ? error.message : accountRefusal(error));
    } finally {
      setIsSending(false);
    }
  };
  return (
    <form
      className="stack"
      onSubmit={(event: FormEvent<HTMLFormElement>) => {
        event.preventDefault();
        if (!isSending) void create(event.currentTarget);
      }}
    >
      <div className="field">
        <label htmlFor={id}>{texts.tokenName}</label>
        <input id={id} name="name" type="text" autoComplete="off" maxLength={MOST_CHARACTERS} required />
      </div>
      <DayField due={null} />
      <ScopeChoice />
      <button type="submit" aria-disabled={isSending}>
        {texts.createToken}
      </button>
    </form>
  );
}

function TokenRow({ token, onRevoke }: { readonly token: ApiToken; readonly onRevoke: () => void }) {
  const proposing = useProposal(onRevoke, accountRefusal);
  const name = token.name === '' ? texts.unnamed : token.name;
  const prepare = async () => ({
    lines: [texts.revokeLead(name)],
    confirm: texts.revokeConfirm,
    async act() {
      await ownAccount.tokens.revoke(token.id);
      return texts.revoked(name);
    },
  });
  return (
    <li>
      <strong dir="auto">{name}</strong>
      <code dir="ltr">{token.prefix}…</code>
      <span className="quiet">{factsOf(token).join(' · ')}</span>
      <p className="acts">
        <button
          type="button"
          aria-label={texts.revokeOf(name)}
          onClick={({ currentTarget }) => proposing.propose(prepare, currentTarget)}
        >
          {texts.revoke}
        </button>
      </p>
      <ProposalBox {...proposing} />
    </li>
  );
}

function factsOf({ readOnly, may, createdTime, lastUsed, expires }: ApiToken): string[] {
  const facts = [
    texts.created(messages.moment(createdTime)),
    lastUsed === null ? texts.neverUsed : texts.sessionUsed(messages.moment(lastUsed)),
  ];
  const rights = readOnly ? texts.readOnly : scopeText(may);
  if (rights !== null) facts.unshift(rights);
  if (expires !== null) {
    const isOver = Date.parse(expires) <= Date.now();
    facts.push((isOver ? texts.expired : texts.expires)(messages.moment(expires)));
  }
  return facts;
}
