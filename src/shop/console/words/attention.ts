import type { Say, Text } from './text.ts'

/** The words of *Attention* and *Record*. */
// biome-ignore format: a text and its translation are a line, or two
export const attention = {
  attention: {
    well: ['All is well: nothing needs you.', 'Усе гаразд: нічого не потребує вашої уваги.'],
    more: ['There is more: it appears here when some of this is done.',
      'Є ще: решта з’явиться тут, коли частину буде зроблено.'],
    done: ['Done', 'Зроблено'],
    kinds: {
      flag: ['To check', 'Перевірити'],
      stray: ['Messages without an order', 'Повідомлення без замовлення'],
      unexpected_shape: ['Odd messages', 'Незвичні повідомлення'],
      on_event_failing: ['The shop’s program fails', 'Програма магазину дає збій'],
      on_event_given_up: ['The shop’s program gave up', 'Програма магазину зупинилася'],
      operation_unsettled: ['Not known how it ended', 'Невідомий результат'],
      operation_contradicted: ['Settled, and ended otherwise', 'Завершилося інакше'],
      operation_declined: ['Declined after it was pending', 'Відхилено після очікування'],
      checkout_open: ['Open for more than a day', 'Відкриті понад добу'],
      checkout_rejected: ['Customers cannot pay', 'Покупці не можуть заплатити'],
      configuration: ['Configuration', 'Налаштування'],
    } as Record<string, Text>,
    says: {
      on_event_failing: ['The shop’s program failed on an event of this order; it is tried again automatically.',
        'Програма магазину дала збій на події цього замовлення; спроби повторюються автоматично.'],
      on_event_given_up: [
        'The shop’s program failed on an event of this order too often. Have it corrected, then run it again.',
        'Програма магазину надто часто давала збій на події цього замовлення. Виправте її та запустіть ще раз.'],
      operation_unsettled: [
        'It is not known how a charge, refund or release ended. Look in the merchant portal, then say it in the order.',
        'Невідомо, чи виконано списання, повернення або зняття резерву. Перевірте в кабінеті й укажіть у замовленні.'],
      operation_contradicted: [
        'A settled charge, refund or release ended otherwise. Look in the merchant portal, then say it in the order.',
        'Списання, повернення або зняття резерву завершилося інакше. Перевірте в кабінеті й укажіть у замовленні.'],
      operation_declined: ['A charge, refund or release was pending, and the bank declined it: no money moved.',
        'Списання, повернення чи зняття резерву було в обробці, і банк його відхилив: гроші не рухалися.'],
      checkout_open: ['Its payment was opened a day ago and has not ended. Ask the service, or cancel it.',
        'Оплату відкрито добу тому, і вона не завершилася. Запитайте сервіс або скасуйте її.'],
      checkout_rejected: ['The service rejects it, so its customer cannot pay. Make a new link with correct fields.',
        'Сервіс його відхиляє, тож покупець не може заплатити. Створіть нове посилання з правильними полями.'],
      stray: ['The service reported something without naming an order. Ask the service which one is meant.',
        'Сервіс повідомив щось, не назвавши замовлення. Запитайте сервіс, яке саме.'],
    } as Record<string, Text>,
  },
  record: {
    none: ['Nobody has done anything yet.', 'Поки що ніхто нічого не робив.'],
    actions: {
      capture: ['charge', 'списання'],
      refund: ['refund', 'повернення'],
      void: ['release', 'зняття резерву'],
      cancel: ['cancel', 'скасування'],
      resend: ['refresh from the service', 'запит до сервісу'],
      settle: ['report of the outcome', 'указано результат'],
      replay: ['new run of the program', 'повторний запуск'],
      erase: ['erasure of personal data', 'стирання персональних даних'],
      note: ['note', 'нотатка'],
      attention_done: ['done', 'зроблено'],
      close_shop: ['closing of the shop', 'закриття магазину'],
      read_log: ['reading of the log', 'читання журналу'],
      recover: ['recovery of a backup', 'відновлення з копії'],
      load_log: ['loading of the log', 'завантаження журналу'],
      link: ['new link', 'нове посилання'],
      change_link: ['number of a link changed', 'змінено число посилання'],
      revoke_link: ['link closed', 'закрито посилання'],
    } as Record<string, Text>,
    results: {
      done: ['done', 'виконано'],
      pending: ['in progress', 'у процесі'],
      rejected: ['rejected: no money moved', 'відхилено: гроші не рухалися'],
      outcome_unknown: ['not known how it ended', 'результат невідомий'],
    } as Record<string, Text>,
    failed: [(code) => `failed (${code})`, (code) => `не вдалося (${code})`] as Say<[code: string]>,
    api: ['program (API)', 'програма (API)'],
  },
} as const
