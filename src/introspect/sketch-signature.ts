import type { Operation, Parameter } from '../protocol/operation.js';

/** Required and optional parameters that take more characters together are left to the details. */
const LONGEST_REQUIRED = 300;
const LONGEST = 100;

/**
 * An operation as one would write it down: `create_issue(owner, repo, title, body?)`. Required parameters come first,
 * optional ones have a question mark, as many as fit a line; `…` stands for the others. What an UPDATE takes inside
 * `input` stands in braces.
 */
export function sketchSignature({ name, parameters, classification }: Operation): string {
  const sketch = sketchParameters(parameters.filter(({ place }) => place === 'params'));
  const input = sketchParameters(parameters.filter(({ place }) => place === 'input'));
  const parts = classification.category === 'UPDATE' ? [...sketch, `input: {${input.join(', ')}}`] : sketch;
  return `${name}(${parts.join(', ')})`;
}

function sketchParameters(parameters: readonly Parameter[]): readonly string[] {
  const required = parameters.filter((parameter) => parameter.required).map(({ name }) => name);
  const optional = parameters.filter((parameter) => !parameter.required).map(({ name }) => `${name}?`);
  const shown = takeFitting(required, LONGEST_REQUIRED);
  const all = [...shown, ...takeFitting(optional, LONGEST - shown.join(', ').length)];
  return all.length < parameters.length ? [...all, '…'] : all;
}

function takeFitting(names: readonly string[], characters: number): readonly string[] {
  let left = characters;
  const tooMuch = names.findIndex((name) => {
    left -= name.length + 2;
    return left < 0;
  });
  return tooMuch < 0 ? names : names.slice(0, tooMuch);
}
