import type { Say, Text } from './text.ts'

/** The words of the forms that act on an order. */
// biome-ignore format: a text and its translation are a line, or two
export const acts = {
  acts: {
    capture: {
      button: ['Charge', 'Списати'],
      title: ['Charge the reserved money?', 'Списати зарезервовані гроші?'],
      says: [
        (sum, left) => `${sum} of the reserved ${left} will be taken from the customer’s card.`,
        (sum, left) => `${sum} із зарезервованих ${left} буде списано з картки покупця.`,
      ] as Say<[sum: string, left: string]>,
      go: [(sum) => `Charge ${sum}`, (sum) => `Списати ${sum}`] as Say<[sum: string]>,
    },
    refund: {
      button: ['Refund', 'Повернути'],
      title: ['Refund this money?', 'Повернути ці гроші?'],
      says: [
        (sum, left) => `${sum} will go back to the customer. ${left} can be refunded now.`,
        (sum, left) => `${sum} повернеться покупцеві. Зараз можна повернути ${left}.`,
      ] as Say<[sum: string, left: string]>,
      go: [(sum) => `Refund ${sum}`, (sum) => `Повернути ${sum}`] as Say<[sum: string]>,
    },
    void: {
      button: ['Release', 'Зняти резерв'],
      title: ['Release the reserved money?', 'Зняти резерв?'],
      says: [(sum) => `The reservation of ${sum} ends. Nothing is taken from the customer.`,
        (sum) => `Резерв ${sum} буде знято. З покупця нічого не списується.`] as Say<[sum: string]>,
      go: [(sum) => `Release ${sum}`, (sum) => `Зняти резерв ${sum}`] as Say<[sum: string]>,
    },
    cancel: {
      button: ['Cancel', 'Скасувати'],
      title: ['Cancel this payment?', 'Скасувати цей платіж?'],
      says: [(sum) => `The customer can no longer pay ${sum}. No money moves.`,
        (sum) => `Покупець більше не зможе сплатити ${sum}. Гроші не рухаються.`] as Say<[sum: string]>,
      go: [(_) => 'Cancel the payment', () => 'Скасувати платіж'] as Say<[sum: string]>,
    },
    resend: {
      button: ['Refresh from the service', 'Оновити з сервісу'],
      title: ['Ask the service again?', 'Запитати сервіс ще раз?'],
      says: [(_) => 'The service is asked how the payment stands. No money moves.',
        () => 'Магазин запитає сервіс про стан платежу. Гроші не рухаються.'] as Say<[sum: string]>,
      go: [(_) => 'Ask', () => 'Запитати'] as Say<[sum: string]>,
    },
    settle: {
      button: ['Say what happened', 'Указати результат'],
      title: ['Is this what the portal says?', 'Так показує кабінет продавця?'],
      says: [
        (_) => 'The shop will take your word for it. No money moves now; a wrong answer makes the books wrong.',
        () => 'Магазин повірить вашій відповіді. Гроші зараз не рухаються; хибна відповідь зіпсує облік.',
      ] as Say<[sum: string]>,
      go: [(_) => 'Yes, save it', () => 'Так, зберегти'] as Say<[sum: string]>,
    },
    replay: {
      button: ['Run the program again', 'Запустити програму ще раз'],
      title: ['Run the shop’s program again?', 'Запустити програму магазину ще раз?'],
      says: [(_) => 'The program that handles this event runs again. No money moves.',
        () => 'Програма, що обробляє цю подію, запуститься ще раз. Гроші не рухаються.'] as Say<[sum: string]>,
      go: [(_) => 'Run again', () => 'Запустити ще раз'] as Say<[sum: string]>,
    },
    erase: {
      button: ['Erase personal data', 'Стерти персональні дані'],
      title: ['Erase the customer’s personal data?', 'Стерти персональні дані покупця?'],
      says: [
        (_) => 'Name, e-mail, phone, card and what was bought are removed permanently; amounts stay. No money moves.',
        () => 'Ім’я, пошту, телефон, картку й назву покупки буде видалено назавжди; суми ' +
          'залишаться. Гроші не рухаються.'] as Say<[sum: string]>,
      go: [(_) => 'Erase permanently', () => 'Стерти назавжди'] as Say<[sum: string]>,
    },
  },
  amounts: {
    unsent: ['Nothing was sent.', 'Нічого не надіслано.'],
    format: [(example) => `Write an amount such as ${example}.`,
      (example) => `Напишіть суму так: ${example}.`] as Say<[example: string]>,
    zero: ['The amount must be more than zero.', 'Сума має бути більшою за нуль.'],
    decimals: ['An amount has at most two decimals.', 'У сумі щонайбільше два знаки після коми.'],
    above: [(left) => `Only ${left} is left. Nothing was sent.`,
      (left) => `Залишилося лише ${left}. Нічого не надіслано.`] as Say<[left: string]>,
    limit: [(limit) => `You may refund up to ${limit} of one order. Nothing was sent.`,
      (limit) => `Ви можете повернути до ${limit} з одного замовлення. Нічого не надіслано.`] as Say<[limit: string]>,
  },
  receipt: {
    ok: ['The service confirmed it.', 'Сервіс це підтвердив.'],
    wait: ['The service took it and has not finished. Open this page again in a minute.',
      'Сервіс прийняв запит і ще не завершив. Відкрийте цю сторінку за хвилину.'],
    bad: ['The service did not do it; no money moved.', 'Сервіс цього не виконав; гроші не рухалися.'],
    wasDone: ['This form was sent already', 'Цю форму вже надіслано'],
    show: ['Show the operation', 'Показати операцію'],
    id: ['Number of the operation', 'Номер операції'],
    at: ['Time', 'Час'],
    order: ['Order', 'Замовлення'],
    absent: { title: ['Not in the order yet', 'Ще немає в замовленні'],
      body: ['The order does not show this operation. Open the order in a minute.',
        'Замовлення не показує цієї операції. Відкрийте його за хвилину.'] },
  },
  problems: {
    outcome_unknown: { title: ['It is not known whether it was done', 'Невідомо, чи це виконано'],
      body: [
        'The request was sent, and no response came. Known: it was asked for once. Not known: whether the service ' +
          'did it. “Try again” finds out, and never does it a second time.',
        'Запит надіслано, а відповіді немає. Відомо: запит був один. Невідомо: чи сервіс його виконав. ' +
          '«Спробувати ще раз» це з’ясує й ніколи не виконає вдруге.'] as Text },
    not_sent: { title: ['Nothing was sent', 'Нічого не надіслано'],
      body: ['No money moved. The shop or the service did not respond; try again in a minute.',
        'Гроші не рухалися. Магазин або сервіс не відповів; спробуйте за хвилину.'] },
    order_changed: { title: ['The order has changed', 'Замовлення змінилося'],
      body: [
        'Nothing was sent: its money was moved since, perhaps by a colleague. Open the order to see how it stands.',
        'Нічого не надіслано: його гроші відтоді рухалися, можливо через дії колеги. Відкрийте ' +
          'замовлення, щоб побачити його стан.'] as Text },
    idempotency_key_reused: { title: ['This form was used already', 'Цю форму вже використано'],
      body: [
        'It was sent before with another amount, so nothing was sent now. Open the order.',
        'Її вже надсилали з іншою сумою, тому зараз нічого не надіслано. Відкрийте замовлення.',
      ] },
    earlier: { title: ['An earlier operation is not finished', 'Попередню операцію не завершено'],
      body: [
        'Nothing was sent: how the earlier one ended is not known yet. Open the order in a few minutes; it is ' +
          'settled there.',
        'Нічого не надіслано: ще невідомо, чим закінчилася попередня. Відкрийте замовлення за кілька ' +
          'хвилин: там це з’ясується.'] as Text },
    not_executed: { title: ['It was not done', 'Це не виконано'],
      body: ['The service knows of no such operation; no money moved. Open the order to start again.',
        'Сервіс не знає такої операції; гроші не рухалися. Відкрийте замовлення, щоб почати знову.'] },
    paid_twice: {
      title: ['This order was paid twice', 'Це замовлення сплачено двічі'],
      body: ['Nothing was sent. Choose the payment that you mean:', 'Нічого не надіслано. Виберіть потрібний платіж:'],
    },
    rejected: { title: ['The service rejected it', 'Сервіс відхилив запит'],
      body: ['No money moved.', 'Гроші не рухалися.'] },
    declined: { title: ['The bank declined it', 'Банк відхилив операцію'],
      body: ['No money moved.', 'Гроші не рухалися.'] },
    forbidden: { title: ['This cannot be done', 'Це неможливо'],
      body: ['Nothing was sent: the order does not allow it now.',
        'Нічого не надіслано: стан замовлення цього не дозволяє.'] },
    config: { title: ['The shop is misconfigured', 'Магазин налаштовано неправильно'],
      body: ['Nothing was sent. Whoever set up the shop finds the reason under /health.',
        'Нічого не надіслано. Той, хто налаштовував магазин, знайде причину на /health.'] },
  },
} as const
