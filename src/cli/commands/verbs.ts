import type { Command } from 'commander'

/** A verb of the command line. Its file is loaded only when it is used. */
export interface Verb {
  summary: string
  /** Two uses, without `edgetill`: the help begins with them. */
  examples: readonly [string, string]
  /** Where to read on; default: guides/command-line.md. */
  readOn?: string
  load(): Promise<{ command(): Command }>
}

/** All verbs, in the order of the help: `src/cli/commands` has a file of the same name for each. */
export const VERBS: Readonly<Record<string, Verb>> = {
  emulator: {
    summary: 'serve an emulator of the payment service on loopback',
    examples: ['emulator --port 4010 --write-env emulator.env', 'emulator --clock 2026-01-31T10:00:00Z'],
    readOn: 'guides/emulator.md',
    load: () => import('./emulator.ts'),
  },
  listen: {
    summary: 'receive webhooks, verify, print and forward them',
    examples: ['listen --env-file shop.env --save received', 'listen --forward-to http://127.0.0.1:3000/ --json'],
    load: () => import('./listen.ts'),
  },
  replay: {
    summary: 'send webhooks again that listen has saved',
    examples: ['replay received --shuffle --double', 'replay received --to http://127.0.0.1:3000/webhooks --json'],
    load: () => import('./replay.ts'),
  },
  trigger: {
    summary: 'send a complete signed webhook of any kind',
    examples: [
      'trigger refund --to http://127.0.0.1:3000/webhooks --set amount=20',
      'trigger charge --emulator http://127.0.0.1:4010 --set order_id=A-1',
    ],
    load: () => import('./trigger.ts'),
  },
  verify: {
    summary: 'verify a webhook, or say exactly why it is not genuine',
    examples: ['verify --env-file shop.env < webhook.txt', 'verify --data DATA --signature SIGNATURE --json'],
    load: () => import('./verify.ts'),
  },
  sign: {
    summary: 'sign a webhook of your own',
    examples: ['sign --env-file shop.env < event.json', 'sign --secret-file secret.txt --json < event.json'],
    load: () => import('./sign.ts'),
  },
  payment: {
    summary: 'create a hosted payment and print the address of its page',
    examples: ['payment A-1 --amount 5 --currency UAH', 'payment --amount 5 --currency UAH --set customer_lang=UK'],
    load: () => import('./payment.ts'),
  },
  order: {
    summary: "show an order's operations and what they add up to",
    examples: ['order A-1', 'order A-1 --json --env-file shop.env'],
    load: () => import('./order.ts'),
  },
  step: {
    summary: "run your onEvent over an exported order's events",
    examples: ['step order.json --on-event worker/on-event.ts', 'step order.json --on-event on-event.js --json'],
    load: () => import('./step.ts'),
  },
  capture: {
    summary: 'capture an authorization, in full or in part',
    examples: ['capture A-2 --amount 80.25', 'capture A-2 --yes --resolve --json'],
    load: () => import('./capture.ts'),
  },
  refund: {
    summary: 'refund a paid order, in full or in part',
    examples: ['refund A-1 --amount 20 --dry-run', 'refund A-1 --amount 20 --yes --resolve --json'],
    load: () => import('./refund.ts'),
  },
  void: {
    summary: 'release an authorization',
    examples: ['void A-2 --dry-run', 'void A-2 --yes --json'],
    load: () => import('./void.ts'),
  },
  cancel: {
    summary: 'cancel a hosted payment that is not paid',
    examples: ['cancel A-1', 'cancel A-1 --yes --json'],
    load: () => import('./cancel.ts'),
  },
  balances: {
    summary: 'show the accounts and their balances',
    examples: ['balances', 'balances --json --env-file shop.env'],
    load: () => import('./balances.ts'),
  },
  resend: {
    summary: 'have a webhook sent again, and show what it says',
    examples: ['resend A-1', 'resend A-1 --operation refund --json'],
    load: () => import('./resend.ts'),
  },
  'recurring-cancel': {
    summary: 'end a subscription',
    examples: ['recurring-cancel RECURRING_ID --dry-run', 'recurring-cancel RECURRING_ID --yes --resolve --order A-1'],
    load: () => import('./recurring-cancel.ts'),
  },
  link: {
    summary: 'make a checkout link of your worker',
    examples: ['link --amount 5 --currency UAH', 'link A-3 --amount 5 --currency UAH --email a@example.com'],
    readOn: 'worker/README.md',
    load: () => import('./link.ts'),
  },
  doctor: {
    summary: 'check configuration, reachability, clock and credentials',
    examples: ['doctor --env-file shop.env', 'doctor --webhook-url https://shop.example.com/webhooks --json'],
    readOn: 'guides/going-live.md',
    load: () => import('./doctor.ts'),
  },
  init: {
    summary: 'write a project of your own: the worker, its configuration, a test',
    examples: ['init my-shop', 'init ../shops/mugs'],
    readOn: 'worker/README.md',
    load: () => import('./init.ts'),
  },
  dev: {
    summary: 'run a project of init: an emulator and the worker, with a link to pay',
    load: () => import('./dev.ts'),
    examples: ['dev', 'dev > dev.log'],
    readOn: 'worker/README.md',
  },
  prove: {
    summary: 'attack a receiver of webhooks, and judge it by money',
    examples: [
      "prove --url http://[::1]:3000 --state 'http://[::1]:3000/{order_id}'",
      'prove --url http://127.0.0.1:3000/webhooks --state-command ./state.sh',
    ],
    readOn: 'guides/prove.md',
    load: () => import('./prove.ts'),
  },
  completion: {
    summary: 'print the completion script of a shell',
    examples: ['completion bash >> ~/.bashrc', 'completion fish > ~/.config/fish/completions/edgetill.fish'],
    load: async () => {
      const { completionOf } = await import('./completion.ts')
      return { command: () => completionOf(VERBS) }
    },
  },
}
