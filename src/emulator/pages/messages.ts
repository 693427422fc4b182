import type { Order } from '../state/state.ts'

type Pair = readonly [title: string, text: string]

/** The customer's pages in one language. */
export type Messages = typeof ENGLISH
export type FieldError = keyof Messages['errors']

export const ENGLISH = {
  lang: 'en',
  banner: 'Emulator: no real money, no real cards.',
  checkout: 'Checkout',
  order: 'Order',
  otherLanguage: 'Language asked for, shown in English',
  amount: 'Amount',
  pay: (amount: string): string => `Pay ${amount}`,
  number: 'Card number',
  month: 'Month',
  year: 'Year',
  cvv: 'CVV',
  cvvHint: 'The 3 or 4 digits on the card',
  correct: 'Nothing was charged. Please correct the highlighted fields.',
  error: 'Error',
  errors: {
    number_missing: 'Enter the card number.',
    number_length: 'A card number has 12 to 19 digits.',
    number_invalid: 'This card number is not valid: check its digits.',
    month_invalid: 'Month: enter a number from 1 to 12.',
    year_invalid: 'Year: enter two or four digits.',
    expired: 'This card has expired.',
    cvv_invalid: 'CVV: enter the 3 or 4 digits from the card.',
  },
  cards: {
    title: 'Test cards',
    hint: 'Any other number that passes the Luhn check is paid, with any future expiry date and any three digits.',
    all: 'All test cards',
    use: 'Fill in',
    paid: 'Paid',
    declined: 'Declined or pending',
    later: 'Paid, and different later',
  },
  threeDS: {
    bank: 'Emulated bank',
    question: 'Do you confirm this payment?',
    shop: 'Shop',
    card: 'Card',
    confirm: 'Yes, confirm',
    decline: 'No, decline',
    emulator: 'The emulator then ends the payment as',
    fails: 'failure (4157)',
  },
  outcome: {
    paid: ['Paid', 'Thank you. The payment was successful.'] as Pair,
    authorized: ['Amount reserved', 'Thank you. The amount is held on the card until the shop charges it.'] as Pair,
    declined: ['Declined', 'Nothing was charged.'] as Pair,
    cancelled: ['Cancelled', 'Nothing was charged.'] as Pair,
    pending: ['In progress', 'The payment is still being processed. The shop will be notified of the result.'] as Pair,
    unpaid: ['Not paid', 'This payment has not been made.'] as Pair,
  },
  reason: 'Reason',
  paidAmount: (paid: string, requested: string): string => `${paid} of ${requested}`,
  startAgain:
    'This checkout is closed. To try another card, open the payment link again, or start a new payment in the shop.',
  back: 'Back to the shop',
  noReturn: 'The shop named no page to return to (result_url): you can close this one.',
  inEmulator: 'This order in the emulator',
}

const UKRAINIAN: Messages = {
  lang: 'uk',
  banner: 'Емулятор: без справжніх грошей і справжніх карток.',
  checkout: 'Оплата',
  order: 'Замовлення',
  otherLanguage: 'Бажана мова',
  amount: 'Сума',
  pay: (amount) => `Сплатити ${amount}`,
  number: 'Номер картки',
  month: 'Місяць',
  year: 'Рік',
  cvv: 'CVV',
  cvvHint: '3 або 4 цифри на картці',
  correct: 'Кошти не списано. Виправте, будь ласка, позначені поля.',
  error: 'Помилка',
  errors: {
    number_missing: 'Введіть номер картки.',
    number_length: 'Номер картки має від 12 до 19 цифр.',
    number_invalid: 'Номер картки недійсний: перевірте цифри.',
    month_invalid: 'Місяць: введіть число від 1 до 12.',
    year_invalid: 'Рік: введіть дві або чотири цифри.',
    expired: 'Термін дії картки минув.',
    cvv_invalid: 'CVV: введіть 3 або 4 цифри з картки.',
  },
  cards: {
    title: 'Тестові картки',
    hint:
      'Будь-який інший номер, що проходить перевірку Луна, буде оплачено. Підійде будь-який майбутній термін ' +
      'дії та будь-які три цифри.',
    all: 'Усі тестові картки',
    use: 'Заповнити',
    paid: 'Оплачено',
    declined: 'Відхилено або в обробці',
    later: 'Оплачено, а згодом інакше',
  },
  threeDS: {
    bank: 'Банк-емулятор',
    question: 'Підтверджуєте цей платіж?',
    shop: 'Магазин',
    card: 'Картка',
    confirm: 'Так, підтверджую',
    decline: 'Ні, відхиляю',
    emulator: 'Тоді емулятор завершить платіж як',
    fails: 'failure (4157)',
  },
  outcome: {
    paid: ['Оплачено', 'Дякуємо. Платіж успішний.'],
    authorized: ['Суму заблоковано', 'Дякуємо. Сума заблокована на картці, доки магазин її не спише.'],
    declined: ['Відхилено', 'Кошти не списано.'],
    cancelled: ['Скасовано', 'Кошти не списано.'],
    pending: ['В обробці', 'Платіж ще обробляється. Магазин отримає сповіщення про результат.'],
    unpaid: ['Не оплачено', 'Цей платіж не здійснено.'],
  },
  reason: 'Причина',
  paidAmount: (paid, requested) => `${paid} із ${requested}`,
  startAgain:
    'Цю оплату завершено. Щоб спробувати іншу картку, відкрийте посилання на оплату ще раз або почніть новий платіж ' +
    'у магазині.',
  back: 'Повернутися до магазину',
  noReturn: 'Магазин не вказав сторінки для повернення (result_url): цю сторінку можна закрити.',
  inEmulator: 'Це замовлення в емуляторі',
}

/** A language of `customer_lang` that these pages do not have. */
export function otherLanguageOf({ request }: Order): string | undefined {
  const requested = request.customer_lang
  return typeof requested === 'string' && !/^(uk|ua|en)/i.test(requested) ? requested : undefined
}

/** The language of `customer_lang`: Ukrainian, or else English. Assumption: codes such as `UK` or `uk-UA`. */
export function messagesFor(order: Order): Messages {
  const requested = String(order.request.customer_lang ?? '').toLowerCase()
  return /^(uk|ua)\b/.test(requested) ? UKRAINIAN : ENGLISH
}
