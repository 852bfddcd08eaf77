// The texts of the editable panel of a task in Arabic.
import type { edit as english } from '../en/edit.ts';
import type { Translation } from '../translation.ts';
import { count, isolated, number, OF_LINKS, quoted, TASKS } from './words.ts';

export const edit: Translation<typeof english> = {
  sections: 'أقسام جزء التفاصيل',
  links: 'الروابط',
  onlyBranch: 'هذا الفرع فقط',
  onlyNeighbours: 'جاراتها فقط',
  changeTitle: 'تغيير العنوان',
  title: 'العنوان',
  fields: {
    title: 'العنوان',
    description: 'الوصف',
    volume: 'الجهد',
    dueDate: 'موعد الاستحقاق',
    priority: 'الأولوية',
    assignee: 'المكلَّفون',
    tags: 'الوسوم',
  },
  renamed: (before, after) =>
    before.trim() === '' ? `سُمّيت ${quoted(after)}.` : `تغيّر العنوان من ${quoted(before)} إلى ${quoted(after)}.`,
  saved: (field, title) => `حُفظ تغيير ${field} في ${quoted(title)}.`,
  notSaved: (field, title, reason) => `تعذّر حفظ ${field} في ${quoted(title)}: ${reason}`,
  itemAdded: {
    tags: (tag, title) => `أُضيف الوسم ${quoted(tag)} إلى ${quoted(title)}.`,
    assignee: (name, title) => `أُسندت ${quoted(title)} إلى ${isolated(name)}.`,
  },
  itemRemoved: {
    tags: (tag, title) => `أُزيل الوسم ${quoted(tag)} من ${quoted(title)}.`,
    assignee: (name, title) => `لم تعد ${quoted(title)} مسندة إلى ${isolated(name)}.`,
  },
  theirs: (actor, value) =>
    `${value === '' ? 'مسح' : 'غيّر'} ${actor === undefined ? 'شخص آخر' : isolated(actor)} هذا الحقل${value === '' ? '' : ` إلى ${quoted(value)}`}.`,
  useTheirs: 'استخدام القيمة الأخرى',
  saveMine: 'حفظ قيمتي',
  unsaved: (field, title, text) =>
    `تعذّر حفظ ${field} في ${quoted(title)}: غيّره شخص آخر في هذه الأثناء. ${
      text === undefined ? 'نصّك باقٍ في جزء تفاصيل المهمة.' : `كتبت: ${quoted(text)}`
    }`,
  lost: (field, title, text) => `تعذّر حفظ ${field} في ${quoted(title)}: لم تعد ترى المهمة. كتبت: ${quoted(text)}`,
  written: (field, title, text) => `كتبت في ${field} للمهمة ${quoted(title)}: ${quoted(text)}`,
  badNumber: 'أدخل عددًا صحيحًا من 0 إلى 1,000,000.',
  badDay: 'أدخل تاريخًا كاملًا، أو اتركه فارغًا.',
  emptyTitle: 'تحتاج المهمة إلى عنوان.',
  clearDay: 'بلا موعد',
  dueAt: (moment) => `تستحق في ${moment}. إن اخترت يومًا فستستحق المهمة في نهايته.`,
  saveDescription: 'حفظ',
  discard: 'تجاهل',
  descriptionHelp: 'لم يُحفظ بعد. اضغط Ctrl+Enter لحفظه.',
  remove: (item) => `إزالة ${isolated(item)}`,
  addTag: 'إضافة وسم',
  addPerson: 'إضافة شخص',
  assignMe: 'إسنادها إليّ',
  full: (most) => `${number(most)} على الأكثر.`,

  before: 'إضافة مهمة قبلها',
  after: 'إضافة مهمة بعدها',
  beforeHelp: (title) => `ستنتظرها ${quoted(title)}.`,
  afterHelp: (title) => `ستنتظر المهمة المضافة اكتمال ${quoted(title)}.`,
  searchLabel: 'عنوان جديد، أو مهمة للبحث عنها',
  findLabel: 'مهمة للبحث عنها',
  options: 'المهام',
  newTask: (title) => `مهمة جديدة ${quoted(title)}`,
  linkedAlready: 'مرتبطة بالفعل',
  pairLinked: 'هاتان المهمتان مرتبطتان بالفعل',
  cycle: (titles) => `ستنتظر نفسها: ${titles.map(isolated).join(' ← ')}`,
  notLinked: (reason) => `تعذّر الربط: ${reason}`,
  notAdded: (title) => `تعذّرت إضافة ${quoted(title)}.`,
  hiddenTask: 'مهمة لا يمكنك رؤيتها',
  waits: (waiting, first) => `${quoted(waiting)} تنتظر الآن اكتمال ${quoted(first)}.`,
  relates: (waiting, first) => `ارتبطت ${quoted(first)} و${quoted(waiting)} دون أن تنتظر إحداهما الأخرى.`,
  onlyRelated: (waiting, first) =>
    `ارتبطت ${quoted(first)} و${quoted(waiting)} فقط: لا يمكنك أن تجعل ${quoted(waiting)} تنتظر، أو أن الروابط لا توقفها.`,
  noLongerWaits: (waiting, first) => `${quoted(waiting)} لم تعد تنتظر ${quoted(first)}.`,
  noLongerRelated: (waiting, first) => `لم تعد ${quoted(first)} و${quoted(waiting)} مرتبطتين.`,
  removeLink: 'إزالة الرابط',
  removeLinkTo: (title) => `إزالة الرابط: ${isolated(title)}`,
  makePrimary: 'جعل الرابط موقِفًا',
  makePrimaryTo: (title) => `جعل الرابط موقِفًا: ${isolated(title)}`,
  makeSecondary: 'ربط دون إيقاف',
  makeSecondaryTo: (title) => `ربط دون إيقاف: ${isolated(title)}`,

  moreActs: 'المزيد',
  moreActsOn: (title) => `المزيد: ${isolated(title)}`,
  reverse: 'عكس',
  reverseTo: (title) => `عكس: ${isolated(title)}`,
  makePrivate: 'إظهاره لي فقط',
  makePrivateTo: (title) => `إظهاره لي فقط: ${isolated(title)}`,
  makeVisible: 'إظهاره للآخرين',
  makeVisibleTo: (title) => `إظهاره للآخرين: ${isolated(title)}`,
  private: 'خاص',
  madePrivate: (waiting, first) => `أنت وحدك ترى الآن الرابط من ${quoted(first)} إلى ${quoted(waiting)}.`,
  madeVisible: (waiting, first) => `يرى الآخرون الآن الرابط من ${quoted(first)} إلى ${quoted(waiting)}.`,

  trash: 'نقل إلى سلة المهملات',
  trashEffect: (links, waiting) => {
    if (links === 0) return 'يمكن استعادتها من سلة المهملات.';
    const wait = waiting === 0 ? '' : ` لن تبقى في انتظارها ${count(waiting, TASKS)}.`;
    return `تُنقل معها روابطها (${number(links)}) إلى سلة المهملات.${wait} استعادة المهمة تستعيد روابطها.`;
  },
  notTrashed: (title, reason) => `تعذّر نقل ${quoted(title)} إلى سلة المهملات: ${reason}`,
  trashed: (title, links) =>
    `نُقلت ${quoted(title)} إلى سلة المهملات${links === 0 ? '' : `، مع ${count(links, OF_LINKS)}`}.`,
};
