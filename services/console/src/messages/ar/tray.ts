// The texts of the tray in Arabic.
import type { tray as english } from '../en/tray.ts';
import type { Translation } from '../translation.ts';
import { CHANGES, count, isolated, list, quoted, semicolonList } from './words.ts';

export const tray: Translation<typeof english> = {
  title: 'التغييرات',
  waiting: 'بانتظار الإرسال',
  refused: 'مرفوضة',
  refusedLead: 'لم تقبل الخدمة هذه التغييرات. لا تتضمنها مهامك.',
  none: 'لا تغيير ينتظر، ولا تغيير مرفوض.',
  copy: 'نسخ',
  copyOf: (change) => `نسخ: ${change}`,
  again: 'إعادة المحاولة',
  againOf: (change) => `إعادة المحاولة: ${change}`,
  dismissOf: (change) => `تجاهل: ${change}`,
  copied: 'تم النسخ.',
  notCopied: 'تعذّر نسخه: لم يسمح المتصفح بذلك.',
  present: (value) => `الآن: ${isolated(value)}`,
  yours: (field, value) => `كتبت في ${field}: ${isolated(value)}`,
  nothing: 'لا شيء',

  added: (title) => `مهمة جديدة ${quoted(title)}`,
  changed: (title, fields) => `تغيير ${list(fields)} في ${title}`,
  task: (title) => (title === undefined ? 'مهمة لم يعد يمكنك رؤيتها' : quoted(title)),
  status: (title, status) => `تغيير حالة ${title} إلى «${status}»`,
  trashed: (title) => `نقل ${title} إلى سلة المهملات`,
  linked: (source, target) => `${target} تنتظر ${source}`,
  linkChanged: 'تغيير رابط',
  linkTrashed: 'إزالة رابط',
  undone: 'تراجع عن تغيير',
  redone: 'إعادة تغيير',
  shared: (title) => `تغيير الوصول إلى ${title}`,
  several: semicolonList,
  other: 'تغيير آخر',

  copyFailed: (reason) =>
    `تعذّر حفظ نسخة من مهامك على هذا الجهاز. أبقِ هذه الصفحة مفتوحة حتى تُرسل تغييراتك. (${isolated(reason)})`,
  copyStays: (reason) => `تعذّر حذف نسخة مهامك من هذا الجهاز: ${isolated(reason)}`,

  signOutTitle: 'تسجيل الخروج وحذف التغييرات؟',
  signOutUnsent: (changes) => `لم يُرسل بعد: ${count(changes, CHANGES)}.`,
  signOutRefused: (changes) => `مرفوض: ${count(changes, CHANGES)}.`,
  signOutUnread: (reason) => `تعذّرت معرفة ما إذا حفظت علامات تبويب أخرى تغييرات لم تُرسل بعد. (${isolated(reason)})`,
  signOutDeletes: 'يحذفها تسجيل الخروج.',
  signOutConfirm: 'تسجيل الخروج والحذف',

  refusals: {
    version_conflict: 'غيّره شخص آخر في هذه الأثناء.',
    not_found: 'لم يعد موجودًا، أو لم يعد بإمكانك رؤيته.',
    'client.depends_on_refused': 'يعتمد على مهمة جديدة مرفوضة.',
    'client.outcome_unknown': 'أُرسل قبل أكثر من يوم، وربما نُفّذ. تحقق قبل أن تعيد المحاولة.',
    'conflict.cycle': 'ستنتظر مهمة نفسها.',
    'conflict.in_trash': 'المهمة في سلة المهملات.',
    'conflict.duplicate_link': 'المهمتان مرتبطتان بالفعل.',
  },
};
