// A section of the settings, and what it shows while it has nothing to show yet.
import { type ReactNode, useId } from 'react';
import { settings as texts } from '../../messages/texts/settings.ts';
import type { AccountQuery } from './own-account.ts';

interface SectionProps {
  readonly title: string;
  readonly lead?: string;
  readonly children: ReactNode;
}

export function Section({ title, lead, children }: SectionProps) {
  const id = useId();
  return (
    <section className="stack" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {lead !== undefined && <p className="quiet">{lead}</p>}
      {children}
    </section>
  );
}

interface ReadProps<T> {
  readonly reading: AccountQuery<T>;
  readonly children: (value: T) => ReactNode;
}

export function Read<T>({ reading: { value, failure, reload }, children }: ReadProps<T>) {
  if (failure !== null) {
    return (
      <p className="refusal">
        {failure}{' '}
        <button type="button" onClick={reload}>
          {texts.retry}
        </button>
      </p>
    );
  }
  return value === null ? <p className="quiet">{texts.reading}</p> : children(value);
}
