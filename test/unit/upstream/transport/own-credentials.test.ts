import { describe, expect, it } from 'vitest';
import { keepExactNumbers, writeExactMembers } from '../../../../src/base/json/exact-result.js';
import { OwnCredentials } from '../../../../src/upstream/transport/own-credentials.js';
import { anUpstream, node, openPool } from '../opened-pool.js';

describe('OwnCredentials', () => {
  it('masks header values, with and without their scheme, and credentials of the address', () => {
    const credentials = new OwnCredentials({
      type: 'http',
      url: 'https://user:pass%20word@api.example/mcp?api_key=query-key-1&page=abcdefghij',
      headers: { Authorization: 'Bearer UPSTREAM-abc123', Accept: 'application/json' },
    });
    const text = 'got Bearer UPSTREAM-abc123, UPSTREAM-abc123, pass word, pass%20word and query-key-1';
    expect(credentials.mask(text)).toBe('got [credential], [credential], [credential], [credential] and [credential]');
    expect(credentials.mask('application/json abcdefghij')).toBe('application/json abcdefghij');
  });

  it('masks the words of a definition, and neither its names nor a password that is a plain word', () => {
    const env = { API_TOKEN: 'token-12345', DB_PASSWORD: 'postgres' };
    const definition = (shown: string) => ({
      name: 'get_token-12345',
      description: `Query postgres with ${shown}`,
      inputSchema: { properties: { 'token-12345': { enum: ['token-12345'], default: shown } } },
    });
    const credentials = new OwnCredentials({ ...node(), env });
    expect(credentials.maskWords(definition('token-12345'))).toEqual(definition('[credential]'));
    const plain = definition('nothing');
    expect(credentials.maskWords({ ...plain, name: 'x', inputSchema: {} })).toMatchObject({ name: 'x' });
  });

  it('are masked in all that a server calls itself, but for a password that is a plain word', () => {
    const credentials = new OwnCredentials({ ...node(), env: { API_TOKEN: 'token-12345', DB_PASSWORD: 'postgres' } });
    expect(credentials.maskIdentity({ name: 'postgres of token-12345', version: '1.0.0+token-12345' })).toEqual({
      name: 'postgres of [credential]',
      version: '1.0.0+[credential]',
    });
  });

  it('takes neither authors nor files for credentials', () => {
    const env = { GIT_AUTHOR_NAME: 'Jane Developer', SSH_KEY: '/home/jane/.ssh/id', KEYBOARD: 'qwertyuiop' };
    const text = 'Jane Developer typed qwertyuiop into /home/jane/.ssh/id';
    expect(new OwnCredentials({ ...node(), env }).mask(text)).toBe(text);
  });

  it('hands a value that holds none of them on as it is', () => {
    const credentials = new OwnCredentials({ ...node(), env: { API_TOKEN: 'token-12345' } });
    const value = { content: [{ type: 'text', text: 'nothing here' }] };
    expect(credentials.maskAll(value)).toBe(value);
    expect(credentials.maskAll({ a: ['token-12345'], b: 1 })).toEqual({ a: ['[credential]'], b: 1 });
  });
});

it('keeps the digits of numbers in a value of which it masks texts', () => {
  const credentials = new OwnCredentials(['secret-credential']);
  const json = '"structuredContent":{"key":"a secret-credential","id":9007199254740993,"a\\"b":[1e400,"\\u00e9"]}';
  const message = JSON.parse(`{"result":{${json}}}`);
  keepExactNumbers(message, `{"result":{${json}}}`);
  const masked = writeExactMembers(credentials.maskAll(message.result));
  expect(masked).toBe(json.replace('secret-credential', '[credential]'));
});

it('keeps the credentials of a server out of its last words and its state', async () => {
  const words = `'Error: bad ' + process.env.API_TOKEN + ' with pass' + 'word=HUNTER2'`;
  const script = `process.stderr.write(${words} + '\\n', () => process.exit(1))`;
  await using opened = openPool(anUpstream({ ...node('-e', script), env: { API_TOKEN: 'token-12345' } }));
  await opened.settled;
  expect(opened.pool.statuses()[0]?.problem).toContain('Error: bad [credential] with password=[secret]');
  expect(JSON.stringify(opened.observations)).not.toContain('token-12345');
});
