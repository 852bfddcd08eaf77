// Asks before a task is deleted for good.
import { trash as texts } from '../messages/texts/trash.ts';
import { QuestionDialog } from '../parts/question-dialog.tsx';

interface DeleteDialogProps {
  readonly title: string;
  readonly onEnd: (isConfirmed: boolean) => void;
}

export function DeleteDialog({ title, onEnd }: DeleteDialogProps) {
  return (
    <QuestionDialog title={texts.deleteTitle(title)} confirm={texts.delete} isDangerous onEnd={onEnd}>
      <p>{texts.deleteText}</p>
    </QuestionDialog>
  );
}
