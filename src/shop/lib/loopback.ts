const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/

/** Whether an address leads to this machine. */
export const isLoopback = (url: string): boolean => URL.canParse(url) && LOOPBACK.test(new URL(url).hostname)
