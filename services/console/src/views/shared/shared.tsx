// What others share with the reader, and what the reader shares.
import { useId } from 'react';
import { shared as texts } from '../../messages/texts/shared.ts';
import { SharedByMe } from './shared-by-me.tsx';
import { SharedWithMe } from './shared-with-me.tsx';
import '../../style/access.css';

export function SharedView({ chosen }: { readonly chosen: string | null }) {
  const id = useId();
  return (
    <div className="view">
      <h1>{texts.title}</h1>
      <p className="quiet">{texts.lead}</p>
      <section className="stack" aria-labelledby={`${id}with`}>
        <h2 id={`${id}with`}>{texts.withMe}</h2>
        <SharedWithMe chosen={chosen} />
      </section>
      <section className="stack" aria-labelledby={`${id}by`}>
        <h2 id={`${id}by`}>{texts.byMe}</h2>
        <SharedByMe chosen={chosen} />
      </section>
    </div>
  );
}
