import { NAME_PATTERN, type Operation, type Parameter } from '../protocol/operation.js';

/** Parameters shown in `params` and in `input` each, before the sketch breaks off. */
const MOST_SHOWN = 2;

/** Longer parameter names are not shown: they come from servers that nobody vouches for. */
const LONGEST_NAME = 20;

/** A request with its values left open: `{operation:'update_issue',params:{id:…,input:{title:…}}}`. */
export function sketchRequest({ name, classification, parameters }: Operation): string {
  const required = parameters.filter((parameter) => parameter.required);
  const fields = sketchFields(required.filter(({ place }) => place === 'params'));
  const input = sketchFields(required.filter(({ place }) => place === 'input'));
  // An UPDATE has an `input` even where no single field of it is required (specification 4.5).
  if (classification.category === 'UPDATE') fields.push(`input:{${input.join(',') || '…'}}`);
  return `{operation:'${name}',params:{${fields.join(',')}}}`;
}

function sketchFields(parameters: readonly Parameter[]): string[] {
  const shown = parameters
    .slice(0, MOST_SHOWN)
    .filter(({ name }) => name.length <= LONGEST_NAME && NAME_PATTERN.test(name));
  const fields = shown.map(({ name }) => `${name}:…`);
  return shown.length < parameters.length ? [...fields, '…'] : fields;
}
