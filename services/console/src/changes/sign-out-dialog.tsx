// Asks before signing out deletes changes. Rule: CON32.

import { refusalText } from '../messages/messages.ts';
import { tray as texts } from '../messages/texts/tray.ts';
import { QuestionDialog } from '../parts/question-dialog.tsx';
import type { LostChanges } from '../session/lost-changes.ts';
import { dismissAll, note } from '../session/notices.ts';
import { signOut } from '../session/session-store.ts';
import { lostText } from './lost-text.ts';

interface SignOutDialogProps {
  readonly lost: LostChanges;
  readonly onClose: () => void;
}

export function SignOutDialog({ lost, onClose }: SignOutDialogProps) {
  const end = (isConfirmed: boolean) => {
    onClose();
    if (!isConfirmed) return;
    signOut({ mayLose: true })
      .then(dismissAll)
      .catch((error: unknown) => note('refused', refusalText(error)));
  };
  return (
    <QuestionDialog title={texts.signOutTitle} confirm={texts.signOutConfirm} isDangerous onEnd={end}>
      <p>{lostText(lost).join(' ')}</p>
    </QuestionDialog>
  );
}
