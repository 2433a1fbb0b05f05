// Bundles the program into few files, because finding, reading and linking a thousand modules is most of a start. They are
// CommonJS, because only its compiled code can be kept (`src/cli/load-program.ts` loads them). The modules of `dist` beside
// them are for programs that import the package.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';

/** Loaded from node_modules, because they are native, large and seldom needed, or replaced by the program (see `openHttpServer`). */
const EXTERNAL = [
  'libsql',
  '@redis/client',
  'pino-pretty',
  'nodemailer',
  're2js',
  /^gpt-tokenizer/,
  '@fastify/ajv-compiler',
  '@fastify/fast-json-stringify-compiler',
  'light-my-request',
];

/**
 * The SDK's halves each bring a copy of ajv, with which they check answers by a tool's output schema. The gateway has a
 * validator of its own and calls nothing that uses theirs, so half a megabyte of code need not be parsed at each start.
 */
const WITHOUT_AJV = {
  name: 'without-ajv',
  resolveId: (id) => (/^@modelcontextprotocol\/(client|server)\/_shims$/.test(id) ? `\0${id}` : null),
  load: (id) =>
    id.startsWith('\0@modelcontextprotocol/')
      ? `import process from 'node:process';
         export { process };
         export const CORS_IS_POSSIBLE = false;
         export class DefaultJsonSchemaValidator {
           getValidator() { throw new Error('the bundle has no validator of the SDK'); }
         }`
      : null,
};

/** Its build for Node looks its parts up in a way that no bundler follows, and six files cost a start more than parsing them. */
const JSONC_FOR_BUNDLERS = {
  name: 'jsonc-for-bundlers',
  resolveId: (id) => (id === 'jsonc-parser' ? '\0jsonc-parser' : null),
  load: (id) => (id === '\0jsonc-parser' ? "export * as default from 'jsonc-parser/lib/esm/main.js';" : null),
};

const CHUNKS = 'chunk';
for (const folder of [CHUNKS, 'compiled']) rmSync(`dist/${folder}`, { recursive: true, force: true });
const bundle = await rolldown({
  input: { start: 'src/cli/start.ts' },
  platform: 'node',
  external: EXTERNAL,
  plugins: [WITHOUT_AJV, JSONC_FOR_BUNDLERS],
});
const { output } = await bundle.write({
  dir: 'dist',
  format: 'cjs',
  // Code that V8 is given compiled cannot import. All packages that are left out have a CommonJS form.
  dynamicImportInCjs: false,
  sourcemap: true,
  sourcemapExcludeSources: true,
  entryFileNames: `${CHUNKS}/[name].cjs`,
  chunkFileNames: `${CHUNKS}/[name].cjs`,
  comments: { annotation: false, jsdoc: false, legal: true },
});
await bundle.close();

// V8 keeps the source of a file with any other character in two bytes a character.
for (const { type, fileName, code } of output) {
  if (type === 'chunk') writeFileSync(`dist/${fileName}`, code.replace(/\P{ASCII}/gu, escapeUnits));
}

writeFileSync(`dist/${CHUNKS}/LICENSES.txt`, readLicenses(output.flatMap(({ moduleIds = [] }) => moduleIds)));

/** The licences of the packages that these modules belong to, which ask to be passed on with the code. */
function readLicenses(modules) {
  const folders = modules.flatMap((id) => id.match(/^.*node_modules\/(?:@[^/]+\/)?[^/]+/) ?? []);
  const texts = [...new Set(folders)].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const files = readdirSync(folder).filter((file) => /^(?:licen[cs]e|copying|notice)/i.test(file));
    const text = files.map((file) => readFileSync(join(folder, file), 'utf8').trim()).join('\n\n');
    return `${name} ${version} (${license})\n\n${text}\n`;
  });
  return texts.join(`\n${'-'.repeat(80)}\n\n`);
}

function escapeUnits(character) {
  return character.split('').map(escapeUnit).join('');
}

function escapeUnit(unit) {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
