// The API tokens of the reader or of a bot, of which the service allows 100. The text of a new one
// is shown once, and is nowhere else in the page.
import type { ApiToken } from '@taskgraph/client';
import { useId, useState } from 'react';
import { messages } from '../../messages/messages.ts';
import { settings as texts } from '../../messages/texts/settings.ts';
import { DayFault, endOfDay } from '../../panel/access/end-of-day.ts';
import { DayField } from '../../panel/access/grant-fields.tsx';
import { ProposalBox, useProposal } from '../../panel/access/proposal.tsx';
import { AccountList, Act } from './account-list.tsx';
import { CreationForm } from './creation-form.tsx';
import { NewSecret } from './new-secret.tsx';
import { accountRefusal, ownAccount, useAccountRead } from './own-account.ts';
import { chosenScopes, ScopeChoice, scopeText } from './scope-choice.tsx';
import { Section } from './section.tsx';

const MOST_CHARACTERS = 100;

/** The calls on the tokens of the reader, or of one of their bots; the same object each time. */
export type TokenCalls = typeof ownAccount.tokens;

export function Tokens() {
  return (
    <Section title={texts.tokens} lead={texts.tokensLead}>
      <TokenList calls={ownAccount.tokens} label={texts.tokens} />
    </Section>
  );
}

interface TokenListProps {
  readonly calls: TokenCalls;
  readonly label: string;
  /** Of a bot, whose tokens always end. */
  readonly isOfBot?: boolean;
}

/** The tokens, the text of a new one, and the form for another one. */
export function TokenList({ calls, label, isOfBot = false }: TokenListProps) {
  const reading = useAccountRead(calls.list);
  const [plaintext, setPlaintext] = useState<string | null>(null);
  return (
    <>
      <AccountList reading={reading} label={label} none={isOfBot ? texts.noTokensOfBot : texts.noTokens}>
        {(token) => <TokenRow key={token.id} token={token} calls={calls} onRevoke={reading.reload} />}
      </AccountList>
      <NewSecret lead={texts.newTokenLead} label={texts.newToken} value={plaintext} onHide={() => setPlaintext(null)} />
      <TokenForm
        calls={calls}
        isOfBot={isOfBot}
        onCreate={(text) => {
          setPlaintext(text);
          reading.reload();
        }}
      />
    </>
  );
}

interface TokenFormProps {
  readonly calls: TokenCalls;
  readonly isOfBot: boolean;
  readonly onCreate: (plaintext: string) => void;
}

function TokenForm({ calls, isOfBot, onCreate }: TokenFormProps) {
  const id = useId();
  const create = async (fields: FormData) => {
    const expires = endOfDay(String(fields.get('due') ?? ''));
    const { plaintext } = await calls.create({
      name: String(fields.get('name')).trim(),
      // Without a day, a token of a bot gets the latest possible end.
      ...(expires === null && isOfBot ? {} : { expires }),
      ...chosenScopes(fields),
    });
    onCreate(plaintext);
    return texts.tokenCreated;
  };
  const refusalOf = (error: unknown) => (error instanceof DayFault ? error.message : accountRefusal(error));
  return (
    <CreationForm submit={texts.createToken} create={create} refusalOf={refusalOf}>
      <div className="field">
        <label htmlFor={id}>{texts.tokenName}</label>
        <input id={id} name="name" type="text" autoComplete="off" maxLength={MOST_CHARACTERS} required />
      </div>
      <DayField due={null} />
      {isOfBot && <p className="quiet">{texts.botTokenEnds}</p>}
      <ScopeChoice />
    </CreationForm>
  );
}

interface TokenRowProps {
  readonly token: ApiToken;
  readonly calls: TokenCalls;
  readonly onRevoke: () => void;
}

function TokenRow({ token, calls, onRevoke }: TokenRowProps) {
  const proposing = useProposal(onRevoke, accountRefusal);
  const name = token.name === '' ? texts.unnamed : token.name;
  const prepare = async () => ({
    lines: [texts.revokeLead(name)],
    confirm: texts.revokeConfirm,
    async act() {
      await calls.revoke(token.id);
      return texts.revoked(name);
    },
  });
  return (
    <li>
      <strong dir="auto">{name}</strong>
      <code dir="ltr">{token.prefix}…</code>
      <span className="quiet">{factsOf(token).join(' · ')}</span>
      <p className="acts">
        <Act label={texts.revoke} name={texts.revokeOf(name)} act={(from) => proposing.propose(prepare, from)} />
      </p>
      <ProposalBox {...proposing} />
    </li>
  );
}

function factsOf({ readOnly, scopes, createdTime, lastUsed, expires }: ApiToken): string[] {
  const facts = [
    texts.created(messages.moment(createdTime)),
    lastUsed === null ? texts.neverUsed : texts.sessionUsed(messages.moment(lastUsed)),
  ];
  const limits = readOnly ? texts.readOnly : scopeText(scopes);
  if (limits !== null) facts.unshift(limits);
  if (expires !== null) {
    const isOver = Date.parse(expires) <= Date.now();
    facts.push((isOver ? texts.expired : texts.expires)(messages.moment(expires)));
  }
  return facts;
}
