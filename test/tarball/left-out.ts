/**
 * The portable test files and folders that do not run against the tarball, each with what it looks at that the package does
 * not export.
 * Every other one does, also one that is new: when it reaches an internal file of `src/`, it fails there.
 */
export const LEFT_OUT: Readonly<Record<string, string>> = {
  'test/checkout-link/checkout-link.test.ts': 'the seal of a link, and its id, beside what is public of links',
  'test/config.test.ts': 'what a configuration comes to; what of it is refused is in test/client.test.ts',
  'test/console/': 'the console over the doubles of the engine; test/browser/console.test.ts opens the real one',
  'test/emulator/status-codes.test.ts': 'the text and the status of each code',
  'test/examples/': 'a program of examples/, which imports the package by its name',
  'test/lib/base64url.test.ts': 'the codec alone, of whatever length and alphabet',
  'test/lib/card-data.test.ts': 'what is cut out of a record',
  'test/lib/constant-time.test.ts': 'that a comparison looks at every character',
  'test/lib/hmac-sha1.test.ts': 'the two ways of signing a request, one beside the other',
  'test/lib/path.test.ts': 'how a segment of a path is encoded',
  'test/lib/read-bytes.test.ts': 'how a body is read up to a limit, chunk by chunk',
  'test/lib/redact.test.ts': 'what is cut out of a text',
  'test/lib/sha1.test.ts': 'the two ways of hashing, one beside the other',
  'test/lib/utf8.test.ts': 'the decoder alone',
  'test/orders/summary.test.ts': 'a summary as the engine stores it',
  'test/schemas/records.test.ts': 'every field of a record at its type and at null',
  'test/schemas/schema.test.ts': 'the building blocks of schemas',
  'test/schemas/fast-path.test.ts': "the webhook's short way, beside valibot",
  'test/testing/gate-double.test.ts': 'the double of the gates alone',
  'test/types/actions.test.ts': 'the actions of a gate',
  'test/types/records.test.ts': 'that a schema reads exactly its interface',
  'test/worker/':
    'the engine from the inside; test/testing/test-shop.test.ts plays the packed one, test/node/template.test.ts a project with it',
}
