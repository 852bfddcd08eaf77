// The reader's account, over the session of the browser.
import { account, TaskgraphError } from '@taskgraph/client';
import { useCallback, useEffect, useState } from 'react';
import { refusalText } from '../../messages/messages.ts';
import { settings as texts } from '../../messages/texts/settings.ts';

export const ownAccount = account({ url: location.origin, session: true });

export function accountRefusal(error: unknown): string {
  return (error instanceof TaskgraphError ? texts.refusals[error.code] : undefined) ?? refusalText(error);
}

export interface AccountQuery<T> {
  /** Null until the service has answered. */
  readonly value: T | null;
  readonly failure: string | null;
  readonly reload: () => void;
}

/** What `read` returns. It must be the same function each time. */
export function useAccountRead<T>(read: () => Promise<T>): AccountQuery<T> {
  const [value, setValue] = useState<T | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const [reading, setReading] = useState(0);
  const reload = useCallback(() => setReading((number) => number + 1), []);
  useEffect(() => {
    let isCurrent = reading >= 0;
    read()
      .then((answer) => {
        if (!isCurrent) return;
        setValue(answer);
        setFailure(null);
      })
      .catch((error: unknown) => {
        if (isCurrent) setFailure(accountRefusal(error));
      });
    return () => {
      isCurrent = false;
    };
  }, [read, reading]);
  return { value, failure, reload };
}
