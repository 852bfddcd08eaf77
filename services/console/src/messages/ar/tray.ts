// The texts of the tray in Arabic.
import type { tray as english } from '../en/tray.ts';
import type { Translation } from '../translation.ts';
import { isolated, list, quoted } from './words.ts';

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
  changed: (title, fields) => `تغيير ${list(fields)} في ${quoted(title)}`,
  status: (title, status) => `جعل حالة ${quoted(title)}: ${status}`,
  trashed: (title) => `نقل ${quoted(title)} إلى سلة المهملات`,
  linked: (source, target) => `تنتظر ${quoted(target)} ${quoted(source)}`,
  linkChanged: 'تغيير رابط',
  linkTrashed: 'إزالة رابط',
  undone: 'تراجع عن تغيير',
  redone: 'إعادة تغيير',
  shared: (title) => `تغيير الوصول إلى ${quoted(title)}`,
  several: (changes) => changes.join('؛ '),
  other: 'تغيير آخر',
  missing: 'مهمة لم يعد يمكنك رؤيتها',

  refusals: {
    version_conflict: 'غيّره شخص آخر في هذه الأثناء.',
    not_found: 'زال، أو لم تعد تراه.',
    'client.depends_on_refused': 'يعتمد على مهمة جديدة مرفوضة.',
    'client.outcome_unknown': 'أُرسل قبل أكثر من يوم، وربما نُفّذ. تحقق قبل أن تعيد المحاولة.',
    'conflict.cycle': 'ستنتظر مهمة نفسها.',
    'conflict.in_trash': 'المهمة في سلة المهملات.',
    'conflict.duplicate_link': 'المهمتان مرتبطتان من قبل.',
  },
};
