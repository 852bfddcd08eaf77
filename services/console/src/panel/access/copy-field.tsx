// A text to copy, by a button or by hand.
import { useId, useRef } from 'react';
import { access as texts } from '../../messages/texts/access.ts';
import { note } from '../../session/notices.ts';

interface CopyFieldProps {
  readonly label: string;
  readonly value: string;
}

export function CopyField({ label, value }: CopyFieldProps) {
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const copy = () => {
    field.current?.select();
    copyText(value)
      .then(() => note('done', texts.copied))
      .catch(() => note('refused', texts.notCopied));
  };
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <div className="copy">
        <input id={id} ref={field} readOnly value={value} onFocus={({ target }) => target.select()} />
        <button type="button" onClick={copy}>
          {texts.copy}
        </button>
      </div>
    </div>
  );
}

/** Rejects without a clipboard, as on a page without HTTPS. */
async function copyText(text: string): Promise<void> {
  await navigator.clipboard.writeText(text);
}
