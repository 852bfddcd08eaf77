// The texts about access in Arabic.
import type { access as english } from '../en/access.ts';
import type { Translation } from '../translation.ts';
import { count, isolated, LEVELS, OF_TASKS, quoted } from './words.ts';

/** `isAtLeast`: the service named as many as it would in one page. */
function tasks(amount: number, isAtLeast: boolean): string {
  return isAtLeast ? `أكثر من ${count(amount, OF_TASKS)}` : count(amount, OF_TASKS);
}

export const access: Translation<typeof english> = {
  loading: 'جارٍ تحميل الوصول',
  reload: 'إعادة المحاولة',
  levels: LEVELS,
  levelHelp: ['', 'يقرأ ويغيّر ويشارك', 'يقرأ ويغيّر', 'يقرأ'],

  people: 'من لديه وصول',
  yours: 'لماذا تراها',
  you: 'أنت',
  everyone: 'كل من لديه الرابط العام',
  because: {
    owner: 'يملكها',
    here: 'مشاركة هنا',
    branch: 'عبر الفرع',
    tree: 'عبر مهمتك',
    publication: 'عبر نشر',
    hiddenRoot: 'مهمة لا يمكنك رؤيتها',
  },
  until: (moment) => `حتى ${moment}`,
  incomplete: 'القائمة غير كاملة.',
  wholeBranch: 'مع كل ما تحتها',
  nodeOnly: 'هذه المهمة فقط',
  more: 'عرض المزيد من الأشخاص',

  share: 'مشاركة',
  email: 'البريد الإلكتروني',
  level: 'المستوى',
  scope: 'ما يرونه',
  scopeBranch: 'هذه المهمة وكل ما تحتها',
  scopeNode: 'هذه المهمة فقط',
  due: 'آخر يوم للوصول',
  badDay: 'أدخل يومًا حتى سنة 9999.',
  dueHelp: 'اتركه فارغًا لوصول بلا نهاية.',
  preview: 'تحقق من الأثر',
  change: 'تغيير',
  changeOf: (email) => `تغيير: ${isolated(email)}`,
  end: 'إنهاء الوصول',
  endOf: (email) => `إنهاء الوصول: ${isolated(email)}`,
  leave: 'مغادرة',
  leaveOf: (title) => `مغادرة ${quoted(title)}`,
  proposal: 'الأثر',

  wouldSee: (email, number, isAtLeast) => `سيرى ${isolated(email)} ${tasks(number, isAtLeast)}.`,
  seesAlready: (email) => `يرى ${isolated(email)} هذه المهام بالفعل.`,
  wouldBe: (email, level) => `سيحصل ${isolated(email)} على وصول بمستوى ${level}.`,
  wouldLose: (email, number, isAtLeast) => `سيفقد ${isolated(email)} هذا الوصول إلى ${tasks(number, isAtLeast)}.`,
  stillSees: (email) => `سيظل ${isolated(email)} يراها عبر وصول آخر.`,
  youLose: (number, isAtLeast) =>
    `ستفقد هذا الوصول إلى ${tasks(number, isAtLeast)}. لا يعيده إليك إلا من يحق له مشاركتها.`,
  confirmShare: 'مشاركة الآن',
  confirmChange: 'تغيير الآن',
  confirmEnd: 'إنهاء الوصول الآن',
  confirmLeave: 'مغادرة الآن',
  shared: (email) => `تمت المشاركة مع ${isolated(email)}.`,
  changed: (email) => `تغيّر وصول ${isolated(email)}.`,
  ended: (email) => `انتهى وصول ${isolated(email)}.`,
  left: (title) => `غادرت ${quoted(title)}.`,

  publish: 'الرابط العام',
  makeLink: 'إنشاء رابط عام',
  publishLead: 'كل من لديه الرابط يمكنه القراءة بلا حساب. لا تظهر أسماء الأشخاص.',
  confirmPublish: 'نشر الآن',
  wouldPublish: (number, isAtLeast) =>
    `سيتمكن كل من لديه الرابط من قراءة ${tasks(number, isAtLeast)}: العناوين والأوصاف والحالة والجهد والمواعيد.`,
  published: (title) => `صار للمهمة ${quoted(title)} رابط عام.`,
  link: 'عنوان الصفحة العامة',
  copy: 'نسخ',
  copied: 'تم النسخ.',
  notCopied: 'تعذّر نسخه. حدّد النص وانسخه بنفسك.',
  publicBranch: 'يعرض هذه المهمة وكل ما تحتها.',
  publicNode: 'يعرض هذه المهمة فقط.',
  noEnd: 'لا نهاية له.',
  ends: (moment) => `ينتهي في ${moment}.`,
  changeEnd: 'تغيير النهاية',
  saveEnd: 'حفظ',
  endChanged: 'تغيّرت نهاية الرابط العام.',
  unpublish: 'إنهاء الرابط العام',
  wouldUnpublish: 'لن يعمل هذا الرابط بعد ذلك. وللرابط الجديد عنوان آخر.',
  confirmUnpublish: 'إنهاؤه الآن',
  unpublished: 'انتهى الرابط العام.',

  refusals: {
    forbidden: 'مستواك لا يسمح بهذا. لا يشارك فرعًا كاملًا إلا مالكه أو مدير لفرع كامل.',
    not_found: 'لم يعد هذا الوصول موجودًا.',
    version_conflict: 'غيّر شخص آخر هذا الوصول في هذه الأثناء. تحقق من أثر تغييرك من جديد.',
    invalid_due: 'يجب أن تكون النهاية في المستقبل.',
    'bad_request.invalid_email': 'هذا ليس عنوان بريد إلكتروني.',
    'bad_request.owner_grant': 'هذا هو المالك، وله وصول كامل.',
    'conflict.in_trash': 'المهمة في سلة المهملات. استعدها أولًا.',
    'conflict.too_many_grants': 'شُورك مع هذا البريد عدد كبير جدًا من المهام. شارك فرعًا بدل مهام مفردة.',
    'conflict.too_many_feeds': 'ستصبح مهمة في فروع مشتركة أكثر من اللازم. شارك فرعًا يضم الفروع الأخرى.',
    'conflict.already_public': 'لها رابط عام بالفعل.',
    'conflict.not_public': 'لم يعد لها رابط عام.',
  },
};
