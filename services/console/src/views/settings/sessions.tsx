// The reader's sessions: this one and those of other browsers and programs. The service has at most 100.
import type { Session } from '@taskgraph/client';
import { lostText } from '../../changes/lost-text.ts';
import { messages } from '../../messages/messages.ts';
import { forms } from '../../messages/texts/forms.ts';
import { settings as texts } from '../../messages/texts/settings.ts';
import { ProposalBox, useProposal } from '../../panel/access/proposal.tsx';
import { focusRegion, regionOf } from '../../panel/access/region-focus.ts';
import { dismissAll, note } from '../../session/notices.ts';
import { changesLostBySigningOut, signOut } from '../../session/session-store.ts';
import { accountRefusal, ownAccount, useAccountRead } from './own-account.ts';
import { Read, Section } from './section.tsx';

export function Sessions() {
  const reading = useAccountRead(ownAccount.sessions.list);
  const { reload } = reading;
  const end = (act: Promise<void>, done: string, from: HTMLElement) => {
    const region = regionOf(from);
    act
      .then(() => {
        note('done', done);
        focusRegion(region);
      })
      .catch((error: unknown) => note('refused', accountRefusal(error)))
      .finally(reload);
  };
  return (
    <Section title={texts.sessions}>
      <Read reading={reading}>
        {(sessions) => (
          <>
            <ul className="people" aria-label={texts.sessions}>
              {sessions.map((session) => (
                <SessionRow
                  key={session.id}
                  session={session}
                  onEnd={(from) => end(ownAccount.sessions.end(session.id), texts.sessionEnded, from)}
                />
              ))}
            </ul>
            {sessions.length > 1 ? (
              <p className="acts">
                <button
                  type="button"
                  onClick={({ currentTarget }) =>
                    end(ownAccount.sessions.endOthers(), texts.othersEnded, currentTarget)
                  }
                >
                  {texts.endOthers}
                </button>
              </p>
            ) : (
              <p className="quiet">{texts.onlySession}</p>
            )}
          </>
        )}
      </Read>
      <SignOutEverywhere />
    </Section>
  );
}

function SessionRow({ session, onEnd }: { readonly session: Session; readonly onEnd: (from: HTMLElement) => void }) {
  const { createdTime, lastUsed, expires, current } = session;
  const created = messages.moment(createdTime);
  const facts = [
    lastUsed === null ? texts.neverUsed : texts.sessionUsed(messages.moment(lastUsed)),
    texts.sessionEnds(messages.moment(expires)),
  ];
  return (
    <li aria-current={current ? 'true' : undefined}>
      <strong>{texts.session(created)}</strong>
      {current && <span>{texts.thisSession}</span>}
      <span className="quiet">{facts.join(' · ')}</span>
      {!current && (
        <p className="acts">
          <button
            type="button"
            aria-label={texts.endSessionOf(created)}
            onClick={({ currentTarget }) => onEnd(currentTarget)}
          >
            {texts.endSession}
          </button>
        </p>
      )}
    </li>
  );
}

function SignOutEverywhere() {
  const proposing = useProposal(dismissAll, accountRefusal);
  const prepare = async () => ({
    lines: [texts.everywhereLead, ...lostText(await changesLostBySigningOut())],
    confirm: texts.everywhereConfirm,
    async act() {
      await ownAccount.sessions.endOthers();
      await signOut({ mayLose: true });
      return forms.signIn.hasEnded;
    },
  });
  return (
    <>
      <p className="acts">
        <button type="button" onClick={({ currentTarget }) => proposing.propose(prepare, currentTarget)}>
          {texts.everywhere}
        </button>
      </p>
      <ProposalBox {...proposing} />
    </>
  );
}
