// The texts of the view of shared tasks in Arabic.
import type { shared as english } from '../en/shared.ts';
import type { Translation } from '../translation.ts';
import { count, isolated, quoted, TASKS } from './words.ts';

export const shared: Translation<typeof english> = {
  lead: 'مهام يشاركها غيرك معك، ومهام تشاركها أنت.',
  withMe: 'مشتركة معك',
  byMe: 'شاركتها أنت',
  withMeEmpty: 'لا يشارك أحد مهمة معك.',
  byMeEmpty: 'لا تشارك أي مهمة. شاركها من قسم «الوصول» في لوح المهمة.',
  reading: 'جارٍ قراءة ما هو مشترك معك',
  reload: 'إعادة المحاولة',
  truncated: 'ما هو مشترك معك أكثر مما تسرده الخدمة.',
  owner: (name) => `المالك ${isolated(name)}`,
  level: (word) => `مستواك ${word}`,
  publicLink: 'رابط عام',
  people: 'الأشخاص',
  peopleOf: (title) => `من لديهم وصول إلى ${quoted(title)}`,
  noPeople: 'ليست مشتركة مع أحد.',
  more: (rows) => `عرض المزيد: ${count(rows, TASKS)}`,
  title: 'المشتركة',
};
