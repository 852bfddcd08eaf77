// The texts of the administration of users in Arabic.
import type { users as english } from '../en/users.ts';
import type { Translation } from '../translation.ts';
import { count, isolated } from './words.ts';

export const users: Translation<typeof english> = {
  title: 'المستخدمون',
  lead: 'كل مستخدمي هذه الخدمة. لا يرى المشرفون مهامهم.',
  list: 'المستخدمون',
  reading: 'جارٍ تحميل المستخدمين',
  retry: 'إعادة المحاولة',
  you: 'أنت',
  administrator: 'مشرف',
  disabled: 'معطّل',
  botOf: (email) => `حساب آلي يديره ${isolated(email)}`,
  since: (moment) => `منذ ${moment}`,
  disable: 'تعطيل',
  disableOf: (name) => `تعطيل: ${isolated(name)}`,
  disableLead: (name) =>
    `تنتهي كل جلسات ${isolated(name)}. لا تعمل رموز الوصول البرمجي ولا التقويمات ولا خطاطيف الويب لهذا الحساب حتى تفعّله من جديد.`,
  disableConfirm: 'تعطيل الآن',
  hasDisabled: (name) => `عُطّل ${isolated(name)}.`,
  enable: 'تفعيل',
  enableOf: (name) => `تفعيل: ${isolated(name)}`,
  enableLead: (name) =>
    `يستطيع ${isolated(name)} تسجيل الدخول من جديد، وتعمل رموز الوصول البرمجي والتقويمات وخطاطيف الويب لهذا الحساب.`,
  enableConfirm: 'تفعيل الآن',
  hasEnabled: (name) => `فُعّل ${isolated(name)}.`,
  more: (rows) => `عرض المزيد، حتى ${count(rows, ['مستخدم واحد', 'مستخدمين', 'مستخدمين', 'مستخدمًا', 'مستخدم'])}`,
  refusals: {
    forbidden: 'لا يرى المستخدمين ويغيّرهم إلا المشرفون.',
    not_found: 'لم يعد هذا المستخدم موجودًا.',
    'conflict.own_account': 'لا يمكنك تعطيل نفسك.',
  },
};
