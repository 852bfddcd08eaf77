// The console as a whole: the form to sign in, or the views of the open graph. The address decides
// the place, whoever is signed in, so a deep link survives signing in.
import { useEffect } from 'react';
import { goTo, usePlace } from './history.ts';
import { messages } from './messages/messages.ts';
import { type Session, useSession } from './session/session-store.ts';
import { WorkspaceProvider } from './session/workspace.tsx';
import { Shell } from './shell.tsx';
import { ForgotView } from './views/forgot.tsx';
import { RegisterView } from './views/register.tsx';
import { SignInView } from './views/sign-in.tsx';

export function App() {
  const session = useSession();
  const place = usePlace();
  const isOpen = session.kind === 'open';
  const isForStrangers = place.view === 'signin' || place.view === 'register' || place.view === 'forgot';
  useEffect(() => {
    if (isOpen && isForStrangers) goTo('/ready', { replace: true });
  }, [isOpen, isForStrangers]);
  if (place.view === 'register' && !isOpen) return <RegisterView />;
  if (place.view === 'forgot' && !isOpen) return <ForgotView />;
  return <ForSession session={session} />;
}

function ForSession({ session }: { readonly session: Session }) {
  switch (session.kind) {
    case 'opening':
      return (
        <main className="page-alone" aria-busy="true">
          <h1 className="quiet">{messages.opening}</h1>
        </main>
      );
    case 'signed-out':
      return <SignInView hasEnded={session.hasEnded} />;
    case 'open':
      return (
        <WorkspaceProvider replica={session.replica} index={session.index}>
          <Shell />
        </WorkspaceProvider>
      );
  }
}
