import { readdirSync, readFileSync } from 'node:fs'

/** The latest child process with this name; undefined if the system does not show it. */
export function findChild(name: string): number | undefined {
  try {
    const found = readdirSync('/proc')
      .filter((entry) => /^\d+$/.test(entry))
      .filter((pid) => isChild(pid, name))
    return found.length > 0 ? Math.max(...found.map(Number)) : undefined
  } catch {
    return undefined
  }
}

function isChild(pid: string, name: string): boolean {
  const stat = attempt(() => readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? ''
  const [, parent] = /\) \S (\d+)/.exec(stat) ?? []
  return stat.includes(`(${name})`) && Number(parent) === process.pid
}

/** Milliseconds of CPU, user and system, that the threads of a process have used; undefined if the system does not show it. */
export function cpuOf(pid: number): number | undefined {
  return attempt(() => {
    let nanoseconds = 0
    // By thread: the process's own figure comes in steps of 10 ms.
    for (const thread of readdirSync(`/proc/${pid}/task`)) {
      const [running = ''] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')
      nanoseconds += Number(running)
    }
    return nanoseconds / 1e6
  })
}

function attempt<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    // Another system, or a process that has just ended.
    return undefined
  }
}
