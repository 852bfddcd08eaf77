// The texts of the plan in Arabic.
import type { planTexts as english } from '../en/plan.ts';
import type { Translation } from '../translation.ts';
import { count, number, quoted, semicolonList, TASKS } from './words.ts';

export const planTexts: Translation<typeof english> = {
  lead: 'أقرب بداية لكل مهمة، وكم يمكنها أن تنتظر.',
  help: 'استخدم مفاتيح الأسهم للتنقل بين المهام، وEnter لعرض المهمة. يسأل زائد وناقص عما يحدث إن احتاجت جهدًا أكثر أو أقل، ويسأل سحب نهاية الشريط السؤال نفسه.',
  list: 'المهام المخططة',
  task: 'المهمة',
  units: 'وحدات الجهد من بداية الخطة',
  days: 'الأيام',
  startsOn: 'تبدأ في',
  unit: 'وحدة الجهد',
  unitNames: { hour: 'ساعة', day: 'يوم', week: 'أسبوع' },
  noStart: 'من دون يوم أول تكون الأوقات بوحدات الجهد.',
  end: (time) => `تنتهي ${time}`,
  today: 'اليوم',
  at: (time) => `عند ${number(time)}`,
  on: (day) => `في ${day}`,
  number,
  starts: (time) => `تبدأ ${time}`,
  ends: (time) => `تنتهي ${time}`,
  becomes: (time) => `ستنتهي ${time}`,

  whatIf: 'ماذا لو',
  question: (title, volume, before) =>
    `ماذا لو احتاجت ${quoted(title)} إلى ${number(volume)} بدلًا من ${number(before)}؟`,
  endMoves: (before, after) => `تنتقل النهاية من ${before} إلى ${after}`,
  endStays: (end) => `تبقى النهاية عند ${end}`,
  tasksMove: (tasks) => (tasks === 0 ? 'لا تنتقل مهمة أخرى' : `تنتقل ${count(tasks, TASKS)}`),
  becomeLate: (tasks) => `تتأخر ${count(tasks, TASKS)}`,
  parts: semicolonList,
  accept: 'تطبيق',
  discard: 'تجاهل',
  viewOnly: (title) => `يمكنك رؤية ${quoted(title)} دون تغييرها.`,
  isCompleted: (title) => `${quoted(title)} مكتملة. لا يغيّر جهدها شيئًا في الخطة.`,
};
