import type { Words } from './en.ts'

/** What the console says, in Ukrainian. */
export const ukrainian: Words = {
  lang: 'uk',
  locale: 'uk-UA',
  currencies: { UAH: 'грн' },
  console: 'Консоль',
  testMode: 'Тестовий режим: справжні гроші не рухаються',
  otherLanguage: 'In English',
  menu: 'Меню',
  nav: {
    today: 'Сьогодні',
    newLink: 'Нове посилання',
    links: 'Посилання',
    search: 'Пошук',
    attention: 'Увага',
    day: 'День',
    record: 'Журнал',
  },
  signedInAs: (name) => `Ви увійшли як ${name}`,
  signOut: 'Вийти',
  login: {
    title: 'Вхід',
    token: 'Токен адміністратора',
    hint: 'Секрет ADMIN_TOKEN воркера цього магазину.',
    go: 'Увійти',
    wrong: 'Це не токен адміністратора.',
    wait: (seconds) => `Забагато хибних спроб. Спробуйте ще раз за ${seconds} с.`,
  },
  unconfigured: {
    title: 'Консоль не налаштована',
    body: 'Поки що ніхто не може увійти. Збережіть секрет щонайменше з 32 символів:',
    access: 'або захистіть цю сторінку через Cloudflare Access і передайте його team та audience у createConsole:',
  },
  noAccess: {
    title: 'Немає доступу',
    body: 'Cloudflare Access не підтвердив, хто ви. Відкрийте цю сторінку за адресою, яку захищає Access, і увійдіть там.',
  },
  forbidden: {
    title: 'У вас немає права на це',
    body: 'Нічого не зроблено. Попросіть того, хто налаштував магазин, надати вам право.',
  },
  oldForm: {
    title: 'Ця форма вже не дійсна',
    body: 'Нічого не зроблено. Можливо, ви увійшли знову після того, як відкрили її, або вона з іншого сайту. Поверніться на сторінку й спробуйте ще раз.',
  },
  notFound: { title: 'Тут нічого немає', body: 'Такої сторінки немає.' },
  noOrder: { title: 'Немає такого замовлення', body: 'Магазин не знає цього замовлення.' },
  failed: {
    title: 'Сторінку зараз не можна показати',
    body: 'Нічого не змінено. Сховище магазину не відповіло; спробуйте за хвилину.',
  },
  today: { title: 'Сьогодні', well: 'Усе гаразд.', attention: (n) => `Потребують уваги: ${n}` },
}
