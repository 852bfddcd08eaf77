// The texts of the board in Arabic.
import type { boardTexts as english } from '../en/board.ts';
import type { Translation } from '../translation.ts';
import { count, quoted, TASKS } from './words.ts';

export const boardTexts: Translation<typeof english> = {
  lead: 'اسحب مهمة إلى عمود آخر، أو استخدم قائمتها. تكون المهمة «متوقفة» ما دامت تنتظر غيرها.',
  help: 'استخدم مفاتيح الأسهم للتنقل بين المهام، وEnter لعرض المهمة.',
  columnTasks: (column) => `المهام: ${column}`,
  move: 'نقل إلى',
  moveTo: (title) => `نقل إلى عمود آخر: ${quoted(title)}`,
  more: (cards) => `عرض المزيد: ${count(cards, TASKS)}`,
  empty: 'لا مهام.',
  completedOn: (day) => `اكتملت في ${day}`,
  notBlocked: (title) => `لا يمكن نقل ${quoted(title)} إلى «متوقفة»: تكون المهمة متوقفة ما دامت تنتظر غيرها.`,
  viewOnly: (title) => `يمكنك رؤية ${quoted(title)} دون تغييرها.`,
};
