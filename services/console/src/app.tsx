// The console as a whole: the sign-in form, or the views of the open graph. The address decides
// the place, whoever is signed in, so a deep link survives signing in.
import { lazy, Suspense, useEffect } from 'react';
import { ErrorBoundary } from './error-boundary.tsx';
import { goTo, usePlace } from './history.ts';
import { messages } from './messages/messages.ts';
import type { Place } from './routes.ts';
import { type Session, useSession } from './session/session-store.ts';
import { ShownTasksProvider } from './session/shown-tasks.tsx';
import { WorkspaceProvider } from './session/workspace.tsx';
import { Shell } from './shell.tsx';

const SignInView = lazy(() => import('./views/forms/sign-in.tsx').then((module) => ({ default: module.SignInView })));
const RegisterView = lazy(() =>
  import('./views/forms/register.tsx').then((module) => ({ default: module.RegisterView })),
);
const ForgotView = lazy(() => import('./views/forms/forgot.tsx').then((module) => ({ default: module.ForgotView })));
const PublishedView = lazy(() =>
  import('./views/published/published.tsx').then((module) => ({ default: module.PublishedView })),
);

export function App() {
  const session = useSession();
  const place = usePlace();
  const isOpen = session.kind === 'open';
  const isForStrangers = place.view === 'signin' || place.view === 'register' || place.view === 'forgot';
  useEffect(() => {
    if (isOpen && isForStrangers) goTo('/ready', { replace: true });
  }, [isOpen, isForStrangers]);
  return (
    <Suspense fallback={<LoadingPage isOffline={false} />}>
      <Page session={session} place={place} />
    </Suspense>
  );
}

function Page({ session, place }: { readonly session: Session; readonly place: Place }) {
  const isOpen = session.kind === 'open';
  if (place.view === 'published') return <PublishedView key={place.token} token={place.token} />;
  if (place.view === 'register' && !isOpen) return <RegisterView />;
  if (place.view === 'forgot' && !isOpen) return <ForgotView />;
  return <SessionPage session={session} />;
}

function LoadingPage({ isOffline }: { readonly isOffline: boolean }) {
  return (
    <main className="page-alone" aria-busy="true">
      <h1 className="quiet">{messages.opening}</h1>
      {isOffline && <p role="status">{messages.unreachable}</p>}
    </main>
  );
}

function SessionPage({ session }: { readonly session: Session }) {
  switch (session.kind) {
    case 'opening':
      return <LoadingPage isOffline={session.isOffline === true} />;
    case 'signed-out':
      return <SignInView why={session.why} />;
    case 'open':
      return (
        <ErrorBoundary>
          <WorkspaceProvider replica={session.replica} index={session.index} plans={session.plans}>
            <ShownTasksProvider>
              <Shell />
            </ShownTasksProvider>
          </WorkspaceProvider>
        </ErrorBoundary>
      );
  }
}
