// A published branch for readers without an account: read only, without people, and live. It opens no
// session, so a reader who is signed in sees here what everybody sees.
import { useEffect } from 'react';
import { messages } from '../../messages/messages.ts';
import { published as texts } from '../../messages/texts/published.ts';
import { PublishedBranch } from './published-branch.tsx';
import { usePublication } from './use-publication.ts';
import '../../style/published.css';

export function PublishedView({ token }: { readonly token: string }) {
  const publication = usePublication(token);
  switch (publication.kind) {
    case 'opening':
      return (
        <main className="page-alone" aria-busy="true">
          <h1 className="quiet">{texts.opening}</h1>
          {publication.isOffline && <p>{texts.connection.offline}</p>}
        </main>
      );
    case 'ended':
      return <EndedPage />;
    case 'open':
      return <PublishedBranch replica={publication.replica} index={publication.index} />;
  }
}

function EndedPage() {
  useEffect(() => {
    document.title = messages.title(texts.endedTitle);
  }, []);
  return (
    <main className="page-alone">
      <p className="brand">{messages.brand}</p>
      <h1>{texts.endedTitle}</h1>
      <p role="status">{texts.ended}</p>
    </main>
  );
}
