// The page of a form that the service does not offer.
import { useEffect } from 'react';
import { followLink } from '../../history.ts';
import { messages } from '../../messages/messages.ts';
import { forms } from '../../messages/texts/forms.ts';

export function OffPage({ title, reason }: { readonly title: string; readonly reason: string }) {
  useEffect(() => {
    document.title = messages.title(title);
  }, [title]);
  return (
    <main className="page-alone">
      <p className="brand">{messages.brand}</p>
      <h1>{title}</h1>
      <p>{reason}</p>
      <p className="links">
        <a href="/signin" onClick={followLink}>
          {forms.backToSignIn}
        </a>
      </p>
    </main>
  );
}
