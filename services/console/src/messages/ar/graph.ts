// The texts of the picture, of collapsed branches, pinned cards and the tiles of branches, in Arabic.
import type { graphTexts as english } from '../en/graph.ts';
import type { Translation } from '../translation.ts';
import { count, isolated, number, OF_TASKS, quoted, STATUSES, TASKS } from './words.ts';

export const graphTexts: Translation<typeof english> = {
  help: 'رسم لمهامك: ما يجب إنجازه أولًا إلى اليسار. استخدم مفاتيح الأسهم للتنقل بين البطاقات، وL لربط مهمة، وزائد وناقص للتكبير والتصغير، وصفرًا لعرض كل شيء. يسرد جزء التفاصيل جارات المهمة نصًّا.',
  cards: 'المهام الظاهرة',
  camera: 'أدوات التحكم في العرض',
  zoomIn: 'تكبير',
  zoomOut: 'تصغير',
  fit: 'عرض الكل',
  blockedBy: (tasks) => `متوقفة، تنتظر ${count(tasks, OF_TASKS)}`,
  holdsUp: (tasks) => `تنتظرها ${count(tasks, TASKS)}`,
  failed: (reason) => `تعذّر ترتيب الرسم: ${isolated(reason)}`,

  collapse: (title) => `طي فرع ${quoted(title)}`,
  expand: (title) => `توسيع فرع ${quoted(title)}`,
  hidden: (tasks) => `تخفي ${count(tasks, OF_TASKS)}`,
  more: (tasks) => `+${number(tasks)}`,
  collapsed: (title) => `طُوي فرع ${quoted(title)} في الشبكة.`,
  expanded: (title) => `وُسّع فرع ${quoted(title)} في الشبكة.`,
  nothingBelow: (title) => `ليس تحت ${quoted(title)} مهام لإخفائها.`,
  isCollapsed: (title) => `فرع ${quoted(title)} مطوي بالفعل.`,
  isExpanded: (title) => `فرع ${quoted(title)} غير مطوي.`,

  moreTasks: (tasks) => `${number(tasks)} أخرى`,
  fewer: 'عرض أقل',
  before: (title) => `من المهام التي تنتظرها ${quoted(title)}`,
  after: (title) => `من المهام التي تنتظر ${quoted(title)}`,
  matching: (tasks) => `المطابق للتصفية: ${number(tasks)}`,
  changes: {
    sent: 'تغيير قيد الإرسال',
    waiting: 'تغيير بانتظار الإرسال',
    refused: 'تغيير مرفوض',
  },

  pinned: (title) => `ثُبّتت ${quoted(title)}.`,
  isPinned: 'مثبّتة',
  tidy: 'ترتيب',
  tidyHelp: 'إلغاء تثبيت كل البطاقات الظاهرة',
  nothingPinned: 'لا بطاقة مثبّتة يمكنك تغييرها.',
  unpinned: (tasks) => `أُلغي تثبيت البطاقات: ${number(tasks)}.`,
  unpinnedFirst: (tasks, left) =>
    `أُلغي تثبيت البطاقات: ${number(tasks)}. رتّب من جديد لإلغاء تثبيت الباقي: ${number(left)}.`,

  branches: 'الفروع',
  branchesHelp: 'عرض مربع لكل فرع',
  tiles: 'الفروع',
  tasks: (tasks) => count(tasks, TASKS),
  others: 'فروع أصغر',
  counts: (numbers) =>
    numbers.flatMap((tasks, status) => (tasks === 0 ? [] : [`${number(tasks)} ${STATUSES[status] ?? ''}`])),
};
