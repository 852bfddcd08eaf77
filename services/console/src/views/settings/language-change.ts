// Shows the page in the language that the reader has chosen. Texts are loaded with the page, so it is
// loaded again; with texts that only this window has, the reader decides when. Rule: CON36.
import { languageOf } from '../../language.ts';
import { settings as texts } from '../../messages/texts/settings.ts';
import { unsavedDraftsOf } from '../../panel/edit/unsaved-drafts.ts';
import { note, useNotices } from '../../session/notices.ts';
import { preferenceOf } from '../../session/preferences.ts';
import { useWorkspace } from '../../session/workspace.tsx';

export function useLanguageChange(): () => void {
  const { replica } = useWorkspace();
  // A refusal may have the text that was refused.
  const hasRefusal = useNotices().some(({ kind }) => kind === 'refused');
  return () => {
    if (languageOf(preferenceOf('language'), navigator.languages) === document.documentElement.lang) return;
    const reload = () => location.reload();
    if (replica.waiting === 0 && unsavedDraftsOf(replica).isEmpty() && !hasRefusal) reload();
    else note('done', texts.languageWaits, { label: texts.reload, run: reload });
  };
}
