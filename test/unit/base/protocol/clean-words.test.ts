import { describe, expect, it } from 'vitest';
import { WordsCleaner } from '../../../../src/base/protocol/clean-words.js';

const clean = (words: string, args: Record<string, unknown> = {}): string => new WordsCleaner(args).text(words);

describe("an upstream's words are sent", () => {
  it.each([
    ['login failed: password=hunter2x!', 'login failed: password=[secret]'],
    ['login failed: password=hunter', 'login failed: password=[secret]'],
    ['config {db_password: "correct horse", x: 1}', 'config {db_password: "[secret]", x: 1}'],
    ['DB_PASSWORD: s3cr3t,', 'DB_PASSWORD: [secret],'],
    ["api_key='abc' is wrong", "api_key='[secret]' is wrong"],
    ['token: 9f8a7b6c5d4e is expired', 'token: [secret] is expired'],
    ['sent Authorization: Bearer abcdefgh12345678', 'sent Authorization: [secret]'],
    ['AWS said no to AKIAIOSFODNN7EXAMPLE', 'AWS said no to [secret]'],
    ['aws_secret_access_key=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY', 'aws_secret_access_key=[secret]'],
    ['{"error":"no","password":"hunter","apiKey":"a1b2"}', '{"error":"no","password":"[secret]","apiKey":"[secret]"}'],
  ])('without secrets: %j as %j', (words, expected) => {
    expect(clean(words)).toBe(expected);
  });

  it.each([
    'password: required',
    'password: must have 8 characters',
    'Unexpected token: foo_bar',
    'Unexpected token < in JSON: 12',
    'next_page_token: abc123def456',
    'max_tokens=4096',
    'the secret is not known',
    '{"errors":{"password":"is too short"}}',
    'unknown field "token" of object',
  ])('with what only speaks of secrets: %j', (words) => {
    expect(clean(words)).toBe(words);
  });

  it('with the secrets that the caller itself sent', () => {
    expect(clean('password=hunter22 is wrong', { password: 'hunter22' })).toBe('password=hunter22 is wrong');
  });

  it('in a time that is linear in words that nearly are secrets', () => {
    const cleaner = new WordsCleaner({});
    for (const part of ['password', 'token=', 'a_', 'Bearer ', 'api_key="'])
      expect(cleaner.text(part.repeat(20_000)).length).toBeLessThan(40_000);
  });

  it.each([
    ["TypeError: Cannot read '/srv/app/src/x.js'", "Cannot read '[path]'"],
    ['Access denied: /data/private/a.txt not in /data/files', 'Access denied: [path] not in [path]'],
    ['no such file: ~/x', 'no such file: [path]'],
    ["open '~/My Files/a.txt' failed", "open '[path]' failed"],
    ['read $HOME/.ssh/id or ${HOME}/x, please', 'read [path] or [path], please'],
    ['about ~5 and a~b/c and $HOME', 'about ~5 and a~b/c and $HOME'],
    ['open C:\\Users\\me\\secret.txt failed', 'open [path] failed'],
    ["open '/Users/John Smith/a b.txt' failed", "open '[path]' failed"],
    ['see file:///home/me/x.js', 'see [path]'],
    ['Error:/home/me/x.js', 'Error:[path]'],
    ['GET https://api.example.org/v1/items/7 failed', 'GET https://api.example.org/v1/items/7 failed'],
    ['db down: postgres://admin:p@ss:w0rd@10.0.0.5/prod', 'db down: postgres://[secret]@10.0.0.5/prod'],
    ['{"uri":"amqp://guest:pw@queue:5672"}', '{"uri":"amqp://[secret]@queue:5672"}'],
    ['clone https://ghp_0123456789abcdef@example.org/a.git', 'clone https://[secret]@example.org/a.git'],
    ['clone ssh://git@example.org/a.git failed', 'clone ssh://git@example.org/a.git failed'],
    ['https://example.org/@ada?a:b@c and a@b.org', 'https://example.org/@ada?a:b@c and a@b.org'],
    ['GET /v1/items/7 failed', 'GET /v1/items/7 failed'],
    ['use and/or, 1/2 or /help', 'use and/or, 1/2 or /help'],
    ['at least one of a, b', 'at least one of a, b'],
    ['sqlite3.OperationalError: near "SELEC"', 'near "SELEC"'],
    [
      'Error updating records: SQLITE_ERROR: incomplete input',
      'Error updating records: SQLITE_ERROR: incomplete input',
    ],
  ])('%j as %j', (words, expected) => {
    expect(clean(words)).toBe(expected);
  });

  it.each([
    [
      'of JavaScript',
      'x is undefined\n    at Object.<anonymous> (/home/me/src/server.js:12:3)\n    at node:internal/main:1:2',
      'x is undefined',
    ],
    ['in one line', 'x is undefined at foo (/a/b.js:1:2) at new Bar (<anonymous>)', 'x is undefined'],
    ['of Java', 'java.lang.NullPointerException: nothing\n\tat a.B.c(B.java:7)\n\tat a.B.d(Native Method)', 'nothing'],
    [
      'of Python',
      'Traceback (most recent call last):\n  File "/srv/a.py", line 3, in f\n    return 1 / 0\nZeroDivisionError: division by zero',
      'division by zero',
    ],
    [
      'of Go',
      'panic: boom\n\ngoroutine 1 [running]:\nmain.main()\n\t/srv/main.go:12 +0x1d\nexit status 2',
      'panic: boom\n\nexit status 2',
    ],
    ['of PHP', 'boom\n#0 /srv/a.php(12): f()\n#1 {main}', 'boom'],
    ['of Ruby', "boom\n\tfrom /srv/a.rb:3:in `<main>'", 'boom'],
    ['in JSON', '{"error":"TypeError: bad","stack":"TypeError: bad\\n at f (/a/b.js:1:2)"}', '{"error":"bad"}'],
  ])('without a stack %s', (_, words, expected) => {
    expect(clean(words)).toBe(expected);
  });

  it.each([
    ['the path itself', { path: '/home/me/a.txt' }, "ENOENT: open '/home/me/a.txt'"],
    ['a folder above it', { input: { root: '/home/me' } }, "ENOENT: open '/home/me/a.txt'"],
    ['a JSON pointer to an argument', { items: [] }, '/items/0/name must be text'],
    ['an address with credentials', { url: 'ftp://ada:pw@example.org/a' }, 'no host: ftp://ada:pw@example.org/a'],
  ])('with a path that the caller sent: %s', (_, args, words) => {
    expect(clean(words, args)).toBe(words);
  });

  it.each([
    [
      'below a folder of the server',
      './docs/a.txt',
      "no such file: '/srv/data/docs/a.txt'",
      "no such file: './docs/a.txt'",
    ],
    ['from above', '../a.txt', 'open /srv/a.txt: no such file', 'open ../a.txt: no such file'],
    ['with a way back', 'docs/x/../a.txt', 'open /srv/docs/a.txt: no such file', 'open docs/x/../a.txt: no such file'],
    [
      'from the home folder',
      '~/docs/a.txt',
      'open /home/me/docs/a.txt: no such file',
      'open ~/docs/a.txt: no such file',
    ],
    ['on Windows', 'docs/a.txt', 'open D:\\srv\\docs\\a.txt: no such file', 'open docs/a.txt: no such file'],
    ['with spaces', 'my docs/a b.txt', 'open /srv/my docs/a b.txt: no such file', 'open my docs/a b.txt: no such file'],
    ['behind a link', '/var/x/a.txt', 'open /private/var/x/a.txt: no such file', 'open /var/x/a.txt: no such file'],
    [
      'absolute, with spaces',
      '/data/a (1).txt',
      'open /data/a (1).txt: no such file',
      'open /data/a (1).txt: no such file',
    ],
    ['absolute, quoted', '/data/a (1).txt', "open '/data/a (1).txt' of /etc/x/y", "open '/data/a (1).txt' of [path]"],
    ['beside others', 'a.txt', 'open /srv/a.txt and /srv/b.txt', 'open a.txt and [path]'],
    ['not for the whole disk', '/', 'open /srv/a.txt', 'open [path]'],
    ['not for a whole drive', 'C:\\', 'open C:\\srv\\a.txt', 'open [path]'],
    ['not for the end of a name', 'a.txt', 'open /srv/data.txt', 'open [path]'],
  ])("with the caller's own spelling of a path %s", (_, path, words, expected) => {
    expect(clean(words, { path })).toBe(expected);
  });

  it('cleaned in structured failures too', () => {
    const data = { why: 'TypeError: x', where: ['/srv/a/b.js'], stack: 'secret', code: 7 };
    expect(new WordsCleaner({}).data(data)).toEqual({ why: 'x', where: ['[path]'], code: 7 });
  });

  it.each([
    'a'.repeat(1_000_000),
    '/a'.repeat(500_000),
    "'/".repeat(500_000),
    ' at '.repeat(250_000),
    'A.'.repeat(500_000),
    '\n'.repeat(1_000_000),
  ])('shortened where they are long: %.10s', (words) => {
    expect(clean(words, { text: words }).length).toBeLessThanOrEqual(10_001);
  });
});
