// The replica of a publication, by its token.
import { openReplica, type Replica } from '@taskgraph/client';
import { useEffect, useState } from 'react';
import { createGraphIndex, type GraphIndex } from '../../graph/graph-index.ts';

export type Publication =
  | { readonly kind: 'opening'; readonly isOffline: boolean }
  | { readonly kind: 'open'; readonly replica: Replica; readonly index: GraphIndex }
  | { readonly kind: 'ended' };

const OPENING: Publication = { kind: 'opening', isOffline: false };

export function usePublication(token: string): Publication {
  const [publication, setPublication] = useState<Publication>(OPENING);
  useEffect(() => {
    let isShown = true;
    let close = (): void => {
      isShown = false;
    };
    void openReplica({ url: location.origin, publicToken: token }).then((replica) => {
      let index: GraphIndex | null = null;
      close = () => {
        index?.stop();
        void replica.close();
      };
      if (!isShown) return close();
      const follow = () => {
        const { state } = replica;
        if (state === 'signed-out') setPublication({ kind: 'ended' });
        else if (index !== null) return;
        else if (state === 'live') {
          index = createGraphIndex(replica);
          setPublication({ kind: 'open', replica, index });
        } else setPublication({ kind: 'opening', isOffline: state === 'offline' });
      };
      replica.on('state', follow);
      follow();
    });
    return () => close();
  }, [token]);
  return publication;
}
