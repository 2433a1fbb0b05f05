import type { FieldPath, FieldSelection } from '../collection-query.js';
import { type ControlReading, textHint, typeFault, valueFault } from './query-fault.js';
import { readPath } from './read-path.js';

const MAX_PATHS = 200;

const EXAMPLE = '"minimal", or ["id", "settings.theme"]';

/**
 * What `fields` and its older alias `preset` select together: the paths extend the preset (companion document "field
 * selection", section 2.3).
 */
export function readFields(reading: ControlReading): FieldSelection | undefined {
  const { given, nameOf, faults } = reading;
  const fields = given.get('fields');
  const alias = readPreset(reading);
  if (!given.has('fields')) return alias === undefined ? undefined : { preset: alias, paths: [] };
  if (Array.isArray(fields)) {
    const paths = readPaths(fields, alias !== undefined, reading);
    return { ...(alias === undefined ? {} : { preset: alias }), paths };
  }
  if (typeof fields !== 'string' || /^\s*[[{]/.test(fields)) {
    faults.push(typeFault(nameOf('fields'), 'string or array', fields, textHint(fields, EXAMPLE)));
    return undefined;
  }
  if (alias !== undefined && alias !== fields) {
    const expected = `a list of fields beside '${nameOf('preset')}', or that preset`;
    faults.push(valueFault(nameOf('fields'), expected, fields));
  }
  return { preset: fields, paths: [] };
}

function readPreset({ given, nameOf, faults }: ControlReading): string | undefined {
  if (!given.has('preset')) return undefined;
  const preset = given.get('preset');
  if (typeof preset === 'string') return preset;
  faults.push(typeFault(nameOf('preset'), 'string', preset, 'For example: "minimal"'));
  return undefined;
}

function readPaths(fields: readonly unknown[], hasPreset: boolean, reading: ControlReading): readonly FieldPath[] {
  const name = reading.nameOf('fields');
  if (fields.length > MAX_PATHS || (fields.length === 0 && !hasPreset)) {
    reading.faults.push(valueFault(name, `a list of 1 to ${MAX_PATHS} fields`, fields, `For example: ${EXAMPLE}`));
    return [];
  }
  return fields.flatMap((field, index) => {
    const path = readPath(field, `${name}[${index}]`, reading);
    return path === undefined ? [] : [path];
  });
}
