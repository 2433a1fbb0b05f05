import { expect, it } from 'vitest';
import { NO_ABILITIES, readAbilities, writeAbilities } from '../../../../src/base/protocol/ask.js';

it.each([
  [{ elicitation: {} }, true],
  [{ elicitation: { form: {} } }, true],
  [{ elicitation: { form: {}, url: {} } }, true],
  [{ elicitation: { url: {} } }, false],
  [{ elicitation: true }, false],
  [{ sampling: {} }, false],
  [{}, false],
  [undefined, false],
])('reads from the capabilities %j whether the client shows forms: %s', (capabilities, shown) => {
  expect(readAbilities(capabilities).form).toBe(shown);
});

it.each([
  {},
  { elicitation: { form: {} } },
  { elicitation: { form: {}, url: {} }, sampling: { tools: {} }, roots: {} },
  { elicitation: { url: {} }, sampling: {} },
])('writes the capabilities %j as it reads them', (capabilities) => {
  expect(writeAbilities(readAbilities(capabilities))).toEqual(capabilities);
});

it('reads nothing from what is no object of capabilities', () => {
  expect(readAbilities([{ elicitation: {} }])).toBe(NO_ABILITIES);
});
