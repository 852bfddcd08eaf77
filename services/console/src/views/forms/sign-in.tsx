// The sign-in form. It stays at the address of the reader, who continues there.
import { TaskgraphError } from '@taskgraph/client';
import { followLink } from '../../history.ts';
import { refusalText } from '../../messages/messages.ts';
import { forms } from '../../messages/texts/forms.ts';
import { storeReturnAddress } from '../../session/return-address.ts';
import { type Session, signIn } from '../../session/session-store.ts';
import { Field, FormPage } from './form-page.tsx';
import { useOffers } from './offers.ts';

type Reason = Extract<Session, { kind: 'signed-out' }>['why'];

export function SignInView({ why }: { readonly why: Reason }) {
  const { signIn: texts } = forms;
  return (
    <FormPage
      title={texts.title}
      submit={texts.submit}
      {...(why === null ? {} : { lead: leadOf(why) })}
      send={async ({ email = '', password = '' }) => {
        await signIn({ email, password });
        return null;
      }}
      refusalOf={refusalOf}
      below={<Links />}
    >
      <Field name="email" label={texts.email} type="email" autoComplete="username" />
      <Field name="password" label={texts.password} type="password" autoComplete="current-password" />
    </FormPage>
  );
}

function leadOf(why: NonNullable<Reason>): string {
  const { signIn: texts } = forms;
  if (why === 'ended') return texts.hasEnded;
  if ('unsent' in why) return texts.unsent(why.unsent);
  return 'providerRefusal' in why ? providerRefusalText(why.providerRefusal) : refusalText(why.refusal);
}

/** The code is a text of the address, so anybody may have written it. */
function providerRefusalText(code: string): string {
  const { providerRefusals: texts, providerFailed } = forms.signIn;
  return (Object.hasOwn(texts, code) ? texts[code] : undefined) ?? providerFailed;
}

function refusalOf(error: unknown): string {
  const isWrong = error instanceof TaskgraphError && error.code === 'unauthorized';
  return isWrong ? forms.signIn.isWrong : refusalText(error);
}

function Links() {
  const { signIn: texts } = forms;
  const offers = useOffers();
  if (offers === null) return null;
  return (
    <>
      {offers.provider !== null && (
        <a href="/api/oidc/login" onClick={storeReturnAddress}>
          {texts.provider(offers.provider.name)}
        </a>
      )}
      {offers.registration && (
        <a href="/register" onClick={followLink}>
          {texts.register}
        </a>
      )}
      {offers.mail && (
        <a href="/forgot" onClick={followLink}>
          {texts.forgot}
        </a>
      )}
    </>
  );
}
