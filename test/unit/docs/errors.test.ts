import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { ERROR_TABLE } from '../../../src/base/protocol/error-table.js';

const PAGE = new URL('../../../docs/errors.md', import.meta.url);

it('docs/errors.md explains every error code with its traits and no other code', () => {
  const rows = [...readFileSync(PAGE, 'utf8').matchAll(/^\| `([A-Z_]+)` +\| (\d+) +\| (yes|no) +\| (\w+) +\|/gm)];
  const documented = rows.map(([, code, status, recoverable, logLevel]) => [
    code,
    { httpStatus: Number(status), recoverable: recoverable === 'yes', logLevel },
  ]);
  expect(Object.fromEntries(documented)).toEqual(ERROR_TABLE);
});
