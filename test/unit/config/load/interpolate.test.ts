import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonPath } from '../../../../src/base/json/json-path.js';
import { interpolate, type Scope } from '../../../../src/config/load/interpolate.js';
import { makeFolder } from '../config-folder.js';

interface Complaint {
  readonly path: JsonPath;
  readonly message: string;
  readonly suggestion: string | undefined;
}

const SCOPE: Scope = {
  env: { TOKEN: 't0', EMPTY: '', NESTED: '${TOKEN}' },
  places: { configDir: '/etc/gateway', userHome: '/users/me' },
  cwd: '/',
};

function run(value: unknown, scope: Scope = SCOPE): { readonly value: unknown; readonly complaints: Complaint[] } {
  const complaints: Complaint[] = [];
  const result = interpolate(value, [], scope, (path, message, suggestion) =>
    complaints.push({ path, message, suggestion }),
  );
  return { value: result, complaints };
}

describe('interpolate', () => {
  it.each([
    ['${TOKEN}', 't0'],
    ['Bearer ${env:TOKEN}!', 'Bearer t0!'],
    ['${TOKEN}${TOKEN}', 't0t0'],
    ['${EMPTY}', ''],
    ['${EMPTY:-x}', 'x'],
    ['${ABSENT:-a:-b c}', 'a:-b c'],
    ['${ABSENT:-}', ''],
    ['${env:ABSENT:-d}', 'd'],
    ['${configDir}/x', '/etc/gateway/x'],
    ['$${TOKEN}', '${TOKEN}'],
    ['$TOKEN $$ 100$', '$TOKEN $$ 100$'],
    ['${NESTED}', '${TOKEN}'],
  ])('reads %s as %s', (text, expected) => {
    expect(run(text)).toEqual({ value: expected, complaints: [] });
  });

  it('resolves references in objects and lists, and leaves keys and other values unchanged', () => {
    const { value } = run({ '${TOKEN}': ['${TOKEN}', 1, null, { a: '${userHome}' }], b: true });
    expect(value).toEqual({ '${TOKEN}': ['t0', 1, null, { a: '/users/me' }], b: true });
  });

  it('reports every variable that is not set, with its path', () => {
    const { complaints } = run({ args: ['${A} ${B}'], c: '${C}' });
    expect(complaints.map(({ path, message }) => [path, message])).toEqual([
      [['args', 0], "the variable 'A' is not set"],
      [['args', 0], "the variable 'B' is not set"],
      [['c'], "the variable 'C' is not set"],
    ]);
    expect(complaints[0]?.suggestion).toContain('${A:-...}');
  });

  it('explains what to use instead of an input', () => {
    const [complaint] = run('${input:api-key}').complaints;
    expect(complaint?.message).toContain('which a gateway cannot do');
    expect(complaint?.suggestion).toContain('${API_KEY}');
  });

  it.each(['${', '${TOKEN', '${foo.bar}', '${}', '${command:x}'])('refuses %s and shows how to escape it', (text) => {
    const { value, complaints } = run(text);
    expect(value).toBe(text);
    expect(complaints).toHaveLength(1);
    expect(complaints[0]?.suggestion).toContain('$${');
  });

  it('reads an unset variable from the file that its _FILE variable names', () => {
    const folder = makeFolder({ secret: '  s3cret\n' });
    const env = { PASSWORD_FILE: 'secret', GONE_FILE: 'gone', SET: 'x', SET_FILE: 'gone' };
    const scope = { ...SCOPE, env, cwd: folder };
    expect(run('${PASSWORD}', scope).value).toBe('s3cret');
    expect(run('${SET}', scope)).toEqual({ value: 'x', complaints: [] });
    expect(run('${GONE:-fallback}', scope).complaints[0]?.message).toContain('GONE_FILE is set, but the file');
  });

  it('leaves escaped text unchanged', () => {
    const text = fc.string({ unit: fc.constantFrom('$', '{', '}', 'A', ':-', ' ') });
    fc.assert(
      fc.property(text, (written) => {
        // As a function: in a replacement text, two dollar signs would mean one.
        const escaped = written.replaceAll('${', () => '$${');
        expect(run(escaped)).toEqual({ value: written, complaints: [] });
      }),
      { numRuns: 500 },
    );
  });
});
