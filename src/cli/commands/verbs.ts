import type { Command } from 'commander'

/** A verb of the command line. Its file is loaded only when it is used. */
export interface Verb {
  summary: string
  load(): Promise<{ command(): Command }>
}

/** All verbs, in the order of the help: `src/cli/commands` has a file of the same name for each. */
export const VERBS: Readonly<Record<string, Verb>> = {
  emulator: {
    summary: 'serve an emulator of the payment service on loopback',
    load: () => import('./emulator.ts'),
  },
  listen: {
    summary: 'receive webhooks, verify, print and forward them',
    load: () => import('./listen.ts'),
  },
  replay: {
    summary: 'send webhooks again that listen has saved',
    load: () => import('./replay.ts'),
  },
  trigger: {
    summary: 'send a complete signed webhook of any kind',
    load: () => import('./trigger.ts'),
  },
  verify: {
    summary: 'verify a webhook, or say exactly why it is not genuine',
    load: () => import('./verify.ts'),
  },
  sign: {
    summary: 'sign a webhook of your own',
    load: () => import('./sign.ts'),
  },
  payment: {
    summary: 'create a hosted payment and print the address of its page',
    load: () => import('./payment.ts'),
  },
  order: {
    summary: "show an order's operations and what they add up to",
    load: () => import('./order.ts'),
  },
  capture: {
    summary: 'capture an authorization, in full or in part',
    load: () => import('./capture.ts'),
  },
  refund: {
    summary: 'refund a paid order, in full or in part',
    load: () => import('./refund.ts'),
  },
  void: {
    summary: 'release an authorization',
    load: () => import('./void.ts'),
  },
  cancel: {
    summary: 'cancel a hosted payment that is not paid',
    load: () => import('./cancel.ts'),
  },
  balances: {
    summary: 'show the accounts and their balances',
    load: () => import('./balances.ts'),
  },
  resend: {
    summary: 'have a webhook sent again, and show what it says',
    load: () => import('./resend.ts'),
  },
  'recurring-cancel': {
    summary: 'end a subscription',
    load: () => import('./recurring-cancel.ts'),
  },
  link: {
    summary: 'make a checkout link of your worker',
    load: () => import('./link.ts'),
  },
  doctor: {
    summary: 'check configuration, reachability, clock and credentials',
    load: () => import('./doctor.ts'),
  },
  init: {
    summary: 'write a project of your own: the worker, its configuration, a test',
    load: () => import('./init.ts'),
  },
  dev: {
    summary: 'run a project of init: an emulator and the worker, with a link to pay',
    load: () => import('./dev.ts'),
  },
}
