import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { printJson, printTable, printWarning } from '../../../../src/cli/shared/terminal.js';

const HOSTILE = 'get_x\u001b]0;pwn\u0007\u001b[2J\r\n\u009b\u202e';
const SHOWN = 'get_x\\u001b]0;pwn\\u0007\\u001b[2J \\u009b\\u202e';

it('prints foreign text in tables and warnings on one line, with its controls escaped', () => {
  const terminal = { out: new PassThrough(), err: new PassThrough() };
  printTable(terminal, ['TOOL', 'KIND'], [[HOSTILE, 'READ']]);
  printWarning(terminal, `Tool '${HOSTILE}' is new`);
  expect(String(terminal.out.read())).toBe(`${SHOWN}\tREAD\n`);
  expect(String(terminal.err.read())).toBe(`warning: Tool '${SHOWN}' is new\n`);
});

it('prints JSON that controls no terminal and is read as the same value', () => {
  const terminal = { out: new PassThrough(), err: new PassThrough() };
  printJson(terminal, { name: HOSTILE });
  const printed = String(terminal.out.read());
  expect(printed).toContain('\\u009b\\u202e');
  expect(printed).not.toMatch(/[\u009b\u202e]/);
  expect(JSON.parse(printed)).toEqual({ name: HOSTILE });
});
