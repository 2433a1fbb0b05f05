import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

interface Break {
  readonly name: string;
  readonly file: string;
  readonly search: string;
  readonly replace: string;
}

const breaks: readonly Break[] = JSON.parse(readFileSync(`${ROOT}test/life/breaks.json`, 'utf8'));
const broken = breaks.find(({ name }) => name === process.env['LIFE_BREAK']);
if (broken === undefined) throw new Error(`no break is called '${process.env['LIFE_BREAK']}'`);

/** The stories of a gateway in which one repair is taken back: they must find it. The files stay as they are. */
export default defineConfig({
  root: ROOT,
  plugins: [
    {
      name: 'take a repair back',
      enforce: 'pre',
      transform: (code, id) =>
        id === ROOT + broken.file ? code.replace(broken.search, () => broken.replace) : undefined,
    },
  ],
  test: { include: ['test/life/life.test.ts'], setupFiles: ['test/support/property-seed.ts'], isolate: false },
});
