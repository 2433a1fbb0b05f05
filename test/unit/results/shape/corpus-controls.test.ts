import { beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../src/base/json/json.js';
import type { Operation } from '../../../../src/base/protocol/operation.js';
import { bindArguments } from '../../../../src/catalog/arguments/bind-arguments.js';
import { exampleParams } from '../../../../src/catalog/arguments/example-params.js';
import type { Catalog } from '../../../../src/catalog/catalog.js';
import { describeControls, exampleControls } from '../../../../src/gateway/builtin/introspect/describe-controls.js';
import { describeParameters } from '../../../../src/gateway/builtin/introspect/types/parameter-info.js';
import { CONTROLS } from '../../../../src/results/query/result-types.js';
import { presetsOf } from '../../../../src/results/query/select-fields.js';
import { readQuery } from '../../../../src/results/results.js';
import { prepareControls, splitControls } from '../../../../src/results/shape/controls.js';
import { corpusCatalog, corpusIsHere } from '../../../support/corpus.js';
import { minutes } from '../../../support/patience.js';

const controlsOf = (operation: Operation) => prepareControls(operation);

/** Keys of a call that a stage reports as unknown, or treats as metadata that it does not use. */
function unknownKeys(operation: Operation, params: JsonObject): readonly string[] {
  const split = splitControls(controlsOf(operation), operation, params);
  const bound = bindArguments(operation, split.params);
  const faults = bound.ok ? [] : bound.faults.filter(({ code }) => code === 'VALIDATION_UNKNOWN_PARAM');
  return [...split.unknownControls.map(({ key }) => key), ...faults.map(({ param }) => param)];
}

function documentedNames(operation: Operation): readonly string[] {
  const described = [...describeParameters(operation), ...describeControls(operation, controlsOf(operation))];
  return described.map(({ name }) => name);
}

describe.skipIf(!corpusIsHere)('controls on real catalogues (skipped where ../shared/corpus is absent)', () => {
  let catalog: Catalog;
  beforeAll(() => {
    catalog = corpusCatalog();
  }, minutes(3));

  it('document no parameter twice', () => {
    for (const operation of catalog.operations) {
      const names = documentedNames(operation);
      expect(new Set(names).size, operation.name).toBe(names.length);
    }
  });

  it('are accepted as documented', { timeout: minutes(3) }, () => {
    for (const operation of catalog.operations) {
      const params = Object.fromEntries(documentedNames(operation).map((name) => [name, null]));
      expect(unknownKeys(operation, params), operation.name).toEqual([]);
    }
  });

  it('are refused where they are not documented, also with underscores', { timeout: minutes(3) }, () => {
    // A tool whose schema allows more takes what it is given.
    for (const operation of catalog.operations.filter(({ strict }) => strict)) {
      const documented = new Set(documentedNames(operation));
      const { byName } = operation.scope;
      const strangers = CONTROLS.flatMap((control) => [control, `_${control}`]).filter(
        (name) => !documented.has(name) && !byName.has(name),
      );
      const params = Object.fromEntries(strangers.map((name) => [name, 1]));
      expect([...unknownKeys(operation, params)].sort(), operation.name).toEqual([...strangers].sort());
    }
  });

  it('are understood in every example, and leave the upstream its required parameters', { timeout: minutes(3) }, () => {
    const collections = catalog.operations.filter((operation) => controlsOf(operation).kind === 'collection');
    expect(collections.length).toBeGreaterThan(300);
    for (const operation of collections) {
      const controls = controlsOf(operation);
      const params = exampleParams(operation);
      const split = splitControls(controls, operation, { ...params, ...exampleControls(controls) });
      expect(split.params).toEqual(params);
      const query = readQuery(split.given, {
        nameOf: (control) => control,
        presets: presetsOf(operation),
        operation: operation.name,
      });
      expect(query?.page, operation.name).toEqual({ style: 'forward', size: 10 });
    }
  });

  it('exist only on READs', () => {
    const taking = catalog.operations.filter((operation) => controlsOf(operation).kind !== 'none');
    expect(new Set(taking.map(({ classification }) => classification.category))).toEqual(new Set(['READ']));
  });
});
