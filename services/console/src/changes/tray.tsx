// The tray: the changes that wait to be sent, and those that were refused while the reader was away.
// Rule: CON32.
import type { Refusal } from '@taskgraph/client';
import { useEffect, useId, useRef } from 'react';
import { taskOf } from '../graph/task.ts';
import { errorCodeText, messages, titleOf } from '../messages/messages.ts';
import { tray as texts } from '../messages/texts/tray.ts';
import { MixedText } from '../parts/mixed-text.tsx';
import { note } from '../session/notices.ts';
import { useGraphText, useRefusals, useWorkspace } from '../session/workspace.tsx';
import { changedFields, commandText, copyText, type TitleOf } from './command-text.ts';
import '../style/tray.css';

export function Tray({ onClose }: { readonly onClose: () => void }) {
  const { replica } = useWorkspace();
  const refusals = useRefusals();
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => dialog.current?.showModal(), []);
  // It shows present values, and titles.
  useGraphText(() => String(replica.snapshot().revision));
  const waiting = replica.commands();
  const title = useTitleOf();
  return (
    <dialog ref={dialog} className="tray" aria-labelledby={id} onClose={onClose}>
      <h2 id={id}>{texts.title}</h2>
      {refusals.length > 0 && (
        <section aria-labelledby={`${id}refused`}>
          <h3 id={`${id}refused`}>{texts.refused}</h3>
          <p className="quiet">{texts.refusedLead}</p>
          <ul>
            {refusals.map((refusal) => (
              <RefusalRow key={refusal.key} refusal={refusal} />
            ))}
          </ul>
        </section>
      )}
      {waiting.length > 0 && (
        <section aria-labelledby={`${id}waiting`}>
          <h3 id={`${id}waiting`}>{texts.waiting}</h3>
          <ul>
            {waiting.map((command) => (
              <li key={command.key}>{commandText(command, title)}</li>
            ))}
          </ul>
        </section>
      )}
      {refusals.length + waiting.length === 0 && <p>{texts.none}</p>}
      <p className="acts">
        <button type="button" onClick={() => dialog.current?.close()}>
          {messages.close}
        </button>
      </p>
    </dialog>
  );
}

function RefusalRow({ refusal }: { readonly refusal: Refusal }) {
  const { replica } = useWorkspace();
  const title = useTitleOf();
  const { key, payload, code, message } = refusal;
  const text = commandText(refusal, title);
  const reason = texts.refusals[code] ?? errorCodeText(code, message.slice(code.length + 2));
  const fields = changedFields(refusal, replica.snapshot().nodes.get(String(payload.id)));
  const leave = (element: HTMLElement) => element.closest('dialog')?.focus();
  const copy = () => {
    writeText(copyText(refusal, title))
      .then(() => note('done', texts.copied))
      .catch(() => note('refused', texts.notCopied));
  };
  return (
    <li>
      <strong>{text}</strong>
      <p>
        <MixedText text={reason} />
      </p>
      {fields.map(({ field, mine, present }) => (
        <p key={field} className="quiet">
          {texts.yours(field, mine)} · {texts.present(present)}
        </p>
      ))}
      <p className="acts">
        <button type="button" aria-label={texts.copyOf(text)} onClick={copy}>
          {texts.copy}
        </button>
        <button
          type="button"
          aria-label={texts.againOf(text)}
          onClick={({ currentTarget }) => {
            leave(currentTarget);
            replica.retry(key);
          }}
        >
          {texts.again}
        </button>
        <button
          type="button"
          aria-label={texts.dismissOf(text)}
          onClick={({ currentTarget }) => {
            leave(currentTarget);
            replica.dismiss(key);
          }}
        >
          {messages.dismiss}
        </button>
      </p>
    </li>
  );
}

/** Rejects without a clipboard, as on a page without HTTPS. */
async function writeText(text: string): Promise<void> {
  await navigator.clipboard.writeText(text);
}

function useTitleOf(): TitleOf {
  const { replica } = useWorkspace();
  return (id) => {
    const node = replica.snapshot().nodes.get(id);
    return node === undefined ? undefined : titleOf(taskOf(node));
  };
}
