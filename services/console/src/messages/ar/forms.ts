// The texts of the forms without an account, in Arabic.
import type { forms as english } from '../en/forms.ts';
import type { Translation } from '../translation.ts';
import { CHANGES, count, isolated } from './words.ts';

export const forms: Translation<typeof english> = {
  signIn: {
    title: 'تسجيل الدخول',
    email: 'البريد الإلكتروني',
    password: 'كلمة المرور',
    submit: 'تسجيل الدخول',
    hasEnded: 'تم تسجيل خروجك.',
    unsent: (changes) => `تم تسجيل خروجك. حُذف دون إرسال: ${count(changes, CHANGES)}.`,
    isWrong: 'البريد الإلكتروني أو كلمة المرور غير صحيحة.',
    register: 'إنشاء حساب',
    forgot: 'هل نسيت كلمة المرور؟',
    provider: (name) => `تسجيل الدخول عبر ${isolated(name)}`,
    providerRefusals: {
      unauthorized: 'لم يؤكد مقدم تسجيل الدخول هويتك، أو انقضت المهلة. أعد المحاولة.',
      'forbidden.identity': 'بريدك مرتبط هنا بهوية أخرى لدى مقدم تسجيل الدخول. سجّل الدخول بتلك الهوية.',
      'forbidden.email_unverified': 'لم يتحقق مقدم تسجيل الدخول من بريدك. تحقق منه هناك، ثم أعد المحاولة.',
      'forbidden.registration_off': 'ليس لديك حساب هنا. اطلب حسابًا من مشغّل هذه الخدمة.',
      not_found: 'لا تتيح هذه الخدمة تسجيل الدخول عبر مقدم.',
      rate_limited: 'محاولات كثيرة جدًا لتسجيل الدخول. انتظر لحظة ثم أعد المحاولة.',
      unavailable: 'لا يمكن الوصول إلى مقدم تسجيل الدخول أو إلى الخدمة. أعد المحاولة بعد لحظة.',
    },
    providerFailed: 'تعذّر تسجيل الدخول عبر المقدم. أعد المحاولة.',
  },
  register: {
    title: 'إنشاء حساب',
    lead: 'نرسل إليك رابطًا. افتحه لتختار كلمة المرور.',
    email: 'البريد الإلكتروني',
    username: 'الاسم',
    submit: 'إرسال الرابط إليّ',
    sent: 'راجع بريدك: الرابط صالح 24 ساعة.',
    off: 'إنشاء الحسابات متوقف. اطلب حسابًا من مشغّل هذه الخدمة.',
  },
  forgot: {
    title: 'تعيين كلمة مرور جديدة',
    lead: 'إن وُجد حساب بهذا العنوان أرسلنا إليه رابطًا.',
    email: 'البريد الإلكتروني',
    submit: 'إرسال الرابط إليّ',
    sent: 'راجع بريدك: الرابط صالح ساعة واحدة.',
    off: 'هذه الخدمة لا ترسل بريدًا. اطلب كلمة مرور جديدة من مشغّلها.',
  },
  backToSignIn: 'العودة إلى تسجيل الدخول',
};
