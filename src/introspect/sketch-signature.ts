import type { Operation, Parameter } from '../protocol/operation.js';

/** Optional parameters beyond this many characters are left to the details. */
const LONGEST = 100;

/**
 * An operation as one would write it down: `create_issue(owner, repo, title, body?)`. Required parameters come first and
 * are all there; optional ones have a question mark, as many as fit a line; `…` stands for the others. What an UPDATE
 * takes inside `input` stands in braces.
 */
export function sketchSignature({ name, parameters, classification }: Operation): string {
  const sketch = sketchParameters(parameters.filter(({ place }) => place === 'params'));
  const input = sketchParameters(parameters.filter(({ place }) => place === 'input'));
  const parts = classification.category === 'UPDATE' ? [...sketch, `input: {${input.join(', ')}}`] : sketch;
  return `${name}(${parts.join(', ')})`;
}

function sketchParameters(parameters: readonly Parameter[]): readonly string[] {
  const shown = parameters.filter(({ required }) => required).map(({ name }) => name);
  const optional = parameters.filter(({ required }) => !required).map(({ name }) => `${name}?`);
  let length = shown.join(', ').length;
  const fitting = optional.findIndex((name) => {
    length += name.length + 2;
    return length > LONGEST;
  });
  return fitting < 0 ? [...shown, ...optional] : [...shown, ...optional.slice(0, fitting), '…'];
}
