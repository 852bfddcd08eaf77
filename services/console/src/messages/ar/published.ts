// The texts of a published page in Arabic.
import type { published as english } from '../en/published.ts';
import type { Translation } from '../translation.ts';
import { count, number, quoted, TASKS } from './words.ts';

export const published: Translation<typeof english> = {
  opening: 'جارٍ تحميل الصفحة',
  lead: (tasks) => `صفحة عامة للقراءة فقط. ${count(tasks, TASKS)}.`,
  list: 'المهام',
  level: (level) => `المستوى ${number(level)}: `,
  expand: (title) => `عرض ما تنتظره ${quoted(title)}`,
  elsewhere: 'ترد كاملة في مكان آخر',
  description: 'الوصف',
  descriptionOf: (title) => `وصف ${quoted(title)}`,
  more: 'عرض المزيد من المهام',
  connection: {
    live: 'متصل: تظهر التغييرات فور حدوثها.',
    'catching-up': 'جارٍ التحديث',
    offline: 'لا يمكن الوصول إلى الخدمة. تعاود الصفحة الاتصال تلقائيًا.',
    'signed-out': '',
  },
  endedTitle: 'لا شيء منشور هنا',
  ended: 'لم تُنشر هذه الصفحة قط، أو انتهى نشرها. اطلب عنوانًا جديدًا ممن أعطاك هذا.',
  about: 'أُنشئت باستخدام Taskgraph',
};
