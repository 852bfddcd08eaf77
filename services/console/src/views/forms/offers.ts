// What the service offers to readers without an account, such as registration. Rule: CAP1.
import { type Capabilities, capabilities } from '@taskgraph/client';
import { useEffect, useState } from 'react';

export type Offers = Pick<Capabilities, 'registration' | 'mail' | 'provider'>;

let requested: Promise<Offers> | null = null;

/** Null until the service has answered. If it does not, the page offers nothing but a password. */
export function useOffers(): Offers | null {
  const [offers, setOffers] = useState<Offers | null>(null);
  useEffect(() => {
    let isShown = true;
    requested ??= capabilities({ url: location.origin });
    requested
      .then((answer) => {
        if (isShown) setOffers(answer);
      })
      .catch(() => {
        requested = null;
      });
    return () => {
      isShown = false;
    };
  }, []);
  return offers;
}
