import { describe, expect, expectTypeOf, it } from 'vitest';
import { findFaults } from '../../../../src/config/load/find-faults.js';
import { gatewaySchema } from '../../../../src/config/schema/gateway-schema.js';
import {
  boolean,
  choice,
  dictionary,
  type Input,
  integer,
  list,
  normalise,
  normaliseAll,
  type Output,
  oneOrMany,
  reference,
  section,
  TEXT,
  text,
  withoutDefaults,
} from '../../../../src/config/schema/setting.js';
import { SECTIONS } from '../../../../src/modules/modules.js';

const PLAN = section(
  'A section.',
  {
    name: text('Its name.'),
    size: integer(0, 10, 'Its size.', 3),
    loud: boolean('Whether it is loud.', true),
    inner: section('Inside.', { kind: choice(['a', 'b'], 'Its kind.', 'a'), note: text('A note.') }),
    optional: section('Without defaults.', { note: text('A note.') }),
    owners: oneOrMany(TEXT, 'Who has it.'),
    parts: list(section('', { per: choice(['all', 'each'], 'Whose.', 'all') }), 'Its parts.'),
    named: dictionary({}, section('', { size: integer(0, 10, 'Its size.', 1) }), 'By name.'),
  },
  ['name'],
);

describe('a normalised setting', () => {
  it('has every default that is not given, at any depth, and no object that has none', () => {
    expect(normalise(PLAN, { name: 'x' })).toEqual({ name: 'x', size: 3, loud: true, inner: { kind: 'a' } });
  });

  it('keeps what is given, also where it is nothing', () => {
    const given = { name: 'x', size: 0, loud: false, inner: { kind: 'b', note: 'n' }, optional: {} } as const;
    expect(normalise(PLAN, given)).toEqual(given);
  });

  it('has a list where one or many may be given', () => {
    expect(normalise(PLAN, { name: 'x', owners: 'ann' }).owners).toEqual(['ann']);
    expect(normalise(PLAN, { name: 'x', owners: ['ann', 'bob'] }).owners).toEqual(['ann', 'bob']);
  });

  it('has the defaults of the items of lists and of the values under names', () => {
    const { parts, named } = normalise(PLAN, { name: 'x', parts: [{}, { per: 'each' }], named: { one: {} } });
    expect({ parts, named }).toEqual({ parts: [{ per: 'all' }, { per: 'each' }], named: { one: { size: 1 } } });
  });

  it('is as it is given where it stands under definitions, or without its defaults', () => {
    const settings = { there: reference('plan', PLAN), ...withoutDefaults({ size: PLAN, inner: PLAN }) };
    expect(normaliseAll(settings, { there: { name: 'x' }, size: { name: 'y' } })).toEqual({
      there: { name: 'x' },
      size: { name: 'y' },
    });
  });

  it('has the types of its declaration', () => {
    type File = Input<typeof PLAN>;
    type Gateway = Output<typeof PLAN>;
    expectTypeOf<File['name']>().toEqualTypeOf<string>();
    expectTypeOf<File['size']>().toEqualTypeOf<number | undefined>();
    expectTypeOf<Gateway['size']>().toEqualTypeOf<number>();
    expectTypeOf<Gateway['inner']>().toEqualTypeOf<{ readonly kind: 'a' | 'b'; readonly note?: string }>();
    expectTypeOf<Gateway['optional']>().toEqualTypeOf<{ readonly note?: string } | undefined>();
    expectTypeOf<File['owners']>().toEqualTypeOf<string | readonly string[] | undefined>();
    expectTypeOf<Gateway['owners']>().toEqualTypeOf<readonly string[] | undefined>();
  });
});

it('every default of the main file is one that the file may give', () => {
  expect(findFaults(normalise(gatewaySchema(SECTIONS), {}), gatewaySchema(SECTIONS))).toEqual([]);
});
