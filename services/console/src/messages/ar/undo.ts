// The texts of undo and redo in Arabic.
import type { undo as english } from '../en/undo.ts';
import type { Translation } from '../translation.ts';

export const undo: Translation<typeof english> = {
  waiting: 'لا يزال تغيير قيد الإرسال. أعد المحاولة بعد لحظة.',
};
