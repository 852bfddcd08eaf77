// The texts of the changes of several tasks in Arabic.
import type { selection as english } from '../en/selection.ts';
import type { Translation } from '../translation.ts';
import { count, isolated, number, OF_TASKS, quoted, TASKS } from './words.ts';

const skipped = (amount: number, reason: string) => `تُستثنى ${count(amount, TASKS)}: ${reason}.`;

export const selection: Translation<typeof english> = {
  label: 'التحديد',
  actsOn: 'تغيير المهام المحددة',
  clear: 'مسح',
  named: (titles) => (titles.length === 1 ? quoted(titles[0] ?? '') : count(titles.length, OF_TASKS)),
  viewOnly: (amount) => `لا يمكنك إلا عرض ${number(amount)} منها.`,

  acts: {
    start: 'بدء',
    done: 'إنجاز',
    reopen: 'جعلها متاحة',
    effort: 'الجهد',
    priority: 'الأولوية',
    due: 'الاستحقاق',
    assign: 'الأشخاص',
    tags: 'الوسوم',
    move: 'نقل تحت',
    trash: 'نقل إلى سلة المهملات',
  },
  titles: {
    volume: (named) => `تعيين جهد ${named}`,
    priority: (named) => `تعيين أولوية ${named}`,
    dueDate: (named) => `تعيين موعد استحقاق ${named}`,
    assignee: (named) => `إسناد ${named}`,
    tags: (named) => `تعيين وسوم ${named}`,
    move: (named) => `نقل ${named} تحت مهمة أخرى`,
    trash: (named) => `نقل ${named} إلى سلة المهملات`,
  },
  statusTitles: [
    (named) => `جعل ${named} متاحة`,
    (named) => `بدء ${named}`,
    (_named) => '',
    (named) => `إنجاز ${named}`,
  ],
  apply: 'تطبيق',
  noDay: 'اتركه فارغًا لإزالة موعد الاستحقاق.',
  listChange: 'إضافة أو إزالة',
  tag: 'الوسم',
  person: 'الشخص',
  add: 'إضافة',
  remove: 'إزالة',
  missingValue: 'أدخل قيمة أو اخترها أولًا.',
  parent: 'ابحث عن المهمة التي ستنتظرها',
  parentHelp: 'انتقل بمفاتيح الأسهم، واختر بمفتاح Enter.',
  noParent: 'لا يمكنك أن تجعلها تنتظر',

  skipped: {
    viewOnly: (amount) => skipped(amount, 'لا يمكنك إلا عرضها'),
    blocked: (amount) => skipped(amount, 'تتوقف على مهام لا تكتمل معها'),
    same: (amount) => `لا تحتاج إلى تغيير: ${count(amount, TASKS)}.`,
    full: (amount) => skipped(amount, 'قائمتها ممتلئة'),
    above: (amount) => skipped(amount, 'ستنتظر نفسها'),
    with: (amount) => `تنتقل ${count(amount, TASKS)} مع ما فوقها.`,
    link: (amount) => skipped(amount, 'لا يمكنك إزالة رابطها'),
  },
  nothing: (reasons) => `لا شيء للتغيير. ${reasons.join(' ')}`.trim(),
  tooMany: (most, operations) =>
    `أقصى عدد من التغييرات في خطوة واحدة ${number(most)}، وهذه ${number(operations)}. حدّد مهام أقل.`,
  refused: (reason, title) => `لم يتغير شيء. ${title === undefined ? '' : `${quoted(title)}: `}${reason}`,

  done: {
    status: [
      (named) => `تم جعل ${named} متاحة.`,
      (named) => `تم بدء ${named}.`,
      (_named) => '',
      (named) => `تم إنجاز ${named}.`,
    ],
    volume: (named) => `تغيّر جهد ${named}.`,
    priority: (named) => `تغيّرت أولوية ${named}.`,
    dueDate: (named) => `تغيّر موعد استحقاق ${named}.`,
    tagAdded: (tag, named) => `أُضيف الوسم ${quoted(tag)} إلى ${named}.`,
    tagRemoved: (tag, named) => `أُزيل الوسم ${quoted(tag)} من ${named}.`,
    assigned: (name, named) => `تم إسناد ${named} إلى ${isolated(name)}.`,
    unassigned: (name, named) => `أُلغي إسناد ${named} إلى ${isolated(name)}.`,
    moved: (named, target) => `تم نقل ${named} تحت ${quoted(target)}.`,
    trashed: (named) => `تم نقل ${named} إلى سلة المهملات.`,
  },
};
