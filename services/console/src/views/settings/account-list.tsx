// A list of what the reader's account has, such as webhooks, and the secret of its newest entry.
import { type Key, type ReactNode, useState } from 'react';
import type { AccountQuery } from './own-account.ts';
import { Read } from './section.tsx';

interface AccountListProps<T> {
  readonly reading: AccountQuery<readonly T[]>;
  readonly label: string;
  /** The text of an empty list. */
  readonly none: string;
  /** One entry, an `li`. */
  readonly children: (entry: T) => ReactNode;
}

export function AccountList<T extends { readonly id: Key }>({ reading, label, none, children }: AccountListProps<T>) {
  return (
    <Read reading={reading}>
      {(all) =>
        all.length === 0 ? (
          <p className="hint">{none}</p>
        ) : (
          <ul className="people" aria-label={label}>
            {all.map(children)}
          </ul>
        )
      }
    </Read>
  );
}

/** A secret that is on the page until it is hidden or its entry is gone. */
export interface ShownSecret {
  /** Null while there is none. */
  readonly value: string | null;
  readonly show: (id: string, value: string) => void;
  readonly hide: () => void;
  /** Hides it if it is the secret of this entry. */
  readonly forget: (id: string) => void;
}

/** `onShow` runs with each new secret. */
export function useShownSecret(onShow: () => void): ShownSecret {
  const [shown, setShown] = useState<{ readonly id: string; readonly value: string } | null>(null);
  return {
    value: shown?.value ?? null,
    show(id, value) {
      setShown({ id, value });
      onShow();
    },
    hide: () => setShown(null),
    forget: (id) => setShown((present) => (present?.id === id ? null : present)),
  };
}

interface ActProps {
  readonly label: string;
  /** The label with the name of the entry, for readers who do not see the row. */
  readonly name: string;
  readonly act: (from: HTMLElement) => unknown;
}

/** A button of an entry. */
export function Act({ label, name, act }: ActProps) {
  return (
    <button type="button" aria-label={name} onClick={({ currentTarget }) => void act(currentTarget)}>
      {label}
    </button>
  );
}
