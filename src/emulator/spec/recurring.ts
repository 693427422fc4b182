/** "Recurring payments": defaults and limits of `init_recurring`. */
export const RECURRING = {
  defaultAttempts: 3,
  defaultHoursDaily: 2,
  defaultHours: 24,
  maxHoursDaily: 23,
  maxHours: 72,
  months: { month: 1, quarter: 3, year: 12 },
  days: { day: 1, week: 7 },
}
