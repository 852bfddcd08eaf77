// An act on access in two steps: the reader first sees what it does, and then confirms it.
import { useEffect, useId, useRef, useState } from 'react';
import { messages } from '../../messages/messages.ts';
import { access as texts } from '../../messages/texts/access.ts';
import { note } from '../../session/notices.ts';
import { accessRefusal } from './access-calls.ts';
import { createLatestRequest } from './latest-request.ts';
import { focusRegion, regionOf } from './region-focus.ts';

export interface Proposal {
  /** What the act does, a sentence each. */
  readonly lines: readonly string[];
  /** The text of the button that confirms. */
  readonly confirm: string;
  /** Acts, and returns what was done. */
  readonly act: () => Promise<string>;
}

export interface ProposalFlow {
  readonly proposal: Proposal | null;
  readonly isBusy: boolean;
  /** Shows what an act would do, or its refusal. `from` gets the focus again if it is cancelled. */
  readonly propose: (prepare: () => Promise<Proposal>, from: HTMLElement | null) => void;
  readonly confirm: () => void;
  readonly cancel: () => void;
  /** Drops the proposal, also one that is being prepared, and leaves the focus where it is. */
  readonly forget: () => void;
}

/** `done` runs after an act. */
export function useProposal(done: () => void, refusalOf: (error: unknown) => string = accessRefusal): ProposalFlow {
  const [proposal, setProposal] = useState<Proposal | null>(null);
  const [busy, setBusy] = useState<'no' | 'preparing' | 'acting'>('no');
  const [requests] = useState(createLatestRequest);
  const origin = useRef<HTMLElement | null>(null);
  const region = useRef<HTMLElement | null>(null);
  // What a dry run says of other values than the present ones must not be confirmed.
  const forget = () => {
    if (busy === 'acting') return;
    requests.end();
    setBusy('no');
    setProposal(null);
  };
  return {
    proposal,
    isBusy: busy !== 'no',
    propose(prepare, from) {
      if (busy === 'acting') return;
      const isLatest = requests.begin();
      origin.current = from;
      region.current = regionOf(from);
      setBusy('preparing');
      setProposal(null);
      prepare()
        .then((prepared) => {
          if (isLatest()) setProposal(prepared);
        })
        .catch((error: unknown) => {
          if (isLatest()) note('refused', refusalOf(error));
        })
        .finally(() => {
          if (isLatest()) setBusy('no');
        });
    },
    confirm() {
      if (proposal === null || busy !== 'no') return;
      setBusy('acting');
      proposal
        .act()
        .then((text) => {
          note('done', text);
          setProposal(null);
          focusRegion(region.current);
          done();
        })
        .catch((error: unknown) => note('refused', refusalOf(error)))
        .finally(() => setBusy('no'));
    },
    cancel() {
      forget();
      origin.current?.focus();
    },
    forget,
  };
}

export function ProposalBox({ proposal, isBusy, confirm, cancel }: ProposalFlow) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (proposal !== null) button.current?.focus();
  }, [proposal]);
  if (proposal === null) return null;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields of a form.
    <div className="proposal" role="group" aria-label={texts.proposal}>
      <div id={id}>
        {proposal.lines.map((line) => (
          <p key={line}>{line}</p>
        ))}
      </div>
      <p className="acts">
        <button ref={button} type="button" aria-describedby={id} aria-disabled={isBusy} onClick={confirm}>
          {proposal.confirm}
        </button>
        <button type="button" className="plain" onClick={cancel}>
          {messages.cancel}
        </button>
      </p>
    </div>
  );
}
