import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, it } from 'vitest';
import { estimateTokens } from '../../src/base/lib/token-estimate.js';

const ROOT = new URL('../../', import.meta.url);
const SAMPLE = 3_000;

/** What 95 of 100 samples are off by at most, and what none is; Greek and Russian are furthest. */
const MOST_OFF = { ofMost: 0.2, ofAny: 0.4, onAverage: 0.08 };

describe('the estimate of tokens', () => {
  it('is near what o200k_base counts, for all kinds of texts', () => {
    const kinds = Object.entries(makeTexts()).map(([kind, text]) => ({ kind, errors: samplesOf(text).map(errorOf) }));
    const all = kinds.flatMap(({ errors }) => errors.map(Math.abs)).sort((a, b) => a - b);
    const ofMost = all[Math.floor(all.length * 0.95)] ?? 0;
    if (process.env['EVAL_REPORT'] === '1') {
      for (const { kind, errors } of kinds) {
        const range = `${percent(Math.min(...errors))} to ${percent(Math.max(...errors))}`;
        console.info(`${kind.padEnd(20)} ${String(errors.length).padStart(3)} samples, off by ${range} %`);
      }
      console.info(
        `${all.length} samples: ${percent(mean(all))} % off on average, 95 of 100 by at most ${percent(ofMost)} %`,
      );
    }
    expect(mean(all)).toBeLessThan(MOST_OFF.onAverage);
    expect(ofMost).toBeLessThan(MOST_OFF.ofMost);
    expect(all.at(-1)).toBeLessThan(MOST_OFF.ofAny);
  });
});

function errorOf(sample: string): number {
  const counted = countTokens(sample, { disallowedSpecial: new Set() });
  return (estimateTokens(sample) - counted) / counted;
}

function percent(share: number): string {
  return (share * 100).toFixed(1);
}

function mean(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
}

function samplesOf(text: string): readonly string[] {
  return Array.from({ length: Math.ceil(text.length / SAMPLE) }, (_, index) =>
    text.slice(index * SAMPLE, (index + 1) * SAMPLE),
  ).filter((sample) => sample.length > SAMPLE / 4);
}

function makeTexts(): Readonly<Record<string, string>> {
  const digests = Array.from({ length: 600 }, (_, index) => createHash('sha256').update(String(index)).digest());
  const people = Array.from({ length: 400 }, (_, index) => ({
    id: index + 1,
    name: ['Ada Lovelace', 'Grace Hopper', 'Alan Turing'][index % 3],
    city: ['Lisbon', 'Berlin', 'Oslo', 'Kyiv'][index % 4],
    amount: Number(((index * 37.17) % 900).toFixed(2)),
    created_at: new Date(1.7e12 + index * 8.1e7).toISOString(),
    active: index % 2 === 0,
    parent: null,
  }));
  const repeat = (text: string): string => text.repeat(Math.ceil((2 * SAMPLE) / text.length));
  return {
    TypeScript: read('src/results/', '.ts'),
    Markdown: read('docs/', '.md'),
    'JSON, indented': readFileSync(new URL('docs/gateway-config.schema.json', ROOT), 'utf8'),
    'JSON of packages': readFileSync(new URL('package-lock.json', ROOT), 'utf8').slice(0, 60_000),
    'JSON, rows': JSON.stringify(people),
    'JSON, numbers': JSON.stringify(Array.from({ length: 1_000 }, (_, index) => Math.sin(index) * 1_000)),
    CSV: people.map((person) => Object.values(person).join(',')).join('\n'),
    log: people
      .map(({ id, created_at }) => `${created_at} [INFO] worker-${id % 8} GET /api/bikes/${id * 7} 200 ${id % 91}ms`)
      .join('\n'),
    HTML: people.map(({ id, name }) => `<tr class="row"><td><a href="/${id}">${name}</a></td></tr>`).join('\n'),
    base64: Buffer.concat(digests).toString('base64'),
    hexadecimal: Buffer.concat(digests).toString('hex'),
    German: repeat('Das Fahrrad wurde gestern vermietet, und die Kundin war mit der Übergabe sehr zufrieden. '),
    French: repeat('Le vélo a été loué hier matin, et la cliente était très satisfaite du service. '),
    Russian: repeat('Велосипед был сдан в прокат вчера утром, и клиент остался доволен обслуживанием. '),
    Greek: repeat('Το ποδήλατο νοικιάστηκε χθες το πρωί και ο πελάτης έμεινε πολύ ευχαριστημένος. '),
    Chinese: repeat('自行车昨天上午租出去了，客户对服务非常满意。今天需要检查刹车，然后再次出租。'),
    Japanese: repeat('自転車は昨日の午前中に貸し出され、お客様はサービスに大変満足していました。'),
    Arabic: repeat('تم تأجير الدراجة صباح أمس وكان العميل راضيا جدا عن الخدمة. '),
    Hindi: repeat('साइकिल कल सुबह किराए पर दी गई थी और ग्राहक सेवा से बहुत संतुष्ट था। '),
    emoji: repeat('🚲🔧 ok 👍🏽 done ✅ — “quoted” … '),
  };
}

/** The texts of a folder's files, in the order of their names. */
function read(folder: string, extension: string): string {
  const at = new URL(folder, ROOT);
  const names = readdirSync(at, { recursive: true }).map(String).sort();
  const files = names.filter((name) => name.endsWith(extension));
  return files
    .map((name) => readFileSync(new URL(name, at), 'utf8'))
    .join('\n')
    .slice(0, 120_000);
}
