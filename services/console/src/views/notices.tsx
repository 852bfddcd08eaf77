// The messages about the reader's own acts, in one polite live region.
import { messages } from '../messages/messages.ts';
import { MixedText } from '../parts/mixed-text.tsx';
import { dismiss, useNotices } from '../session/notices.ts';

export function Notices() {
  const notices = useNotices();
  return (
    <section className="notices" aria-label={messages.notices} aria-live="polite">
      {notices.map(({ id, kind, text, act }) => (
        <div key={id} className="notice" data-kind={kind}>
          <span aria-hidden="true">{kind === 'refused' ? '!' : '✓'}</span>
          <p>
            <MixedText text={text} />
          </p>
          {act !== undefined && (
            <button
              type="button"
              className="plain"
              onClick={() => {
                dismiss(id);
                document.getElementById('content')?.focus();
                act.run();
              }}
            >
              {act.label}
            </button>
          )}
          <button type="button" className="plain" onClick={() => dismiss(id)}>
            {messages.dismiss}
          </button>
        </div>
      ))}
    </section>
  );
}
