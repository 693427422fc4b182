// Up to compatibility date 2026-08-03 a Worker has neither `process` nor `Buffer`; Vitest's own runner brings them along
// and does not need them any more once it runs. Without them the suite sees what a Worker of that date sees.
delete (globalThis as { process?: unknown }).process
delete (globalThis as { Buffer?: unknown }).Buffer
