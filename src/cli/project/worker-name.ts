/** Ukrainian letters as passports write them, and the Russian ones beside them. */
const LATIN: Readonly<Record<string, string>> = {
  ...{ а: 'a', б: 'b', в: 'v', г: 'h', ґ: 'g', д: 'd', е: 'e', є: 'ie', ж: 'zh', з: 'z', и: 'y', і: 'i', ї: 'i' },
  ...{ й: 'i', к: 'k', л: 'l', м: 'm', н: 'n', о: 'o', п: 'p', р: 'r', с: 's', т: 't', у: 'u', ф: 'f', х: 'kh' },
  ...{ ц: 'ts', ч: 'ch', ш: 'sh', щ: 'shch', ь: '', ю: 'iu', я: 'ia', ё: 'io', ы: 'y', э: 'e', ъ: '' },
}

/**
 * A name that npm and Cloudflare both take, from any text; empty when nothing is left. wrangler adds "-test" and
 * "-live".
 */
export function workerName(text: string): string {
  return text
    .normalize('NFC')
    .toLowerCase()
    .replaceAll(/['’ʼ]/g, '')
    .replaceAll(/[а-яґєіїё]/g, (letter) => LATIN[letter] ?? letter)
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 50)
    .replaceAll(/^-|-$/g, '')
}
