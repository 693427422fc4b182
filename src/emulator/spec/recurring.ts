/** "Recurring payments": defaults and limits of `init_recurring`. */
export interface RecurringRules {
  defaultAttempts: number
  defaultHoursDaily: number
  defaultHours: number
  maxHoursDaily: number
  maxHours: number
  /** Months of each unit that is counted in months. */
  months: { month: number; quarter: number; year: number }
  /** Days of each unit that is counted in days. */
  days: { day: number; week: number }
}

export const RECURRING: RecurringRules = {
  defaultAttempts: 3,
  defaultHoursDaily: 2,
  defaultHours: 24,
  maxHoursDaily: 23,
  maxHours: 72,
  months: { month: 1, quarter: 3, year: 12 },
  days: { day: 1, week: 7 },
}
