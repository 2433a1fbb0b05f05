import { join } from 'node:path';
import { importBuilt } from '../inner/built-modules.mjs';
import { buildInnerSnapshot, configure, createPass, IGNORE, OPEN_SERVICE } from '../inner/inner-gateway.mjs';
import { buildTools } from '../server/catalogue.mjs';
import { CATALOGUE_SIZE } from './gated-calls.mjs';
import { GATES } from './gates.mjs';

/**
 * The built gateway's own pipeline once for each gate, over one catalog and an upstream that answers at once.
 * @param modules the folder of the build, `dist`
 * @param directory where the gates keep their state
 * @returns for each gate `{name, refuses, pass}`; `pass` takes one of `gated-calls.mjs` and resolves with the reply
 */
export async function openGates(modules, directory) {
  const built = await importBuilt(modules);
  const config = await configure(built, join(directory, 'catalog'));
  const snapshot = buildInnerSnapshot(built, config, buildTools(CATALOGUE_SIZE), ({ text }) => text);
  return await Promise.all(
    GATES.map(async ({ name, rules, refuses }) => {
      const service = rules === undefined ? OPEN_SERVICE : await openService(built, join(directory, name), rules);
      const services = { gatekeeper: service.gatekeeper, recordCall: service.recordCall, results: built.passResults };
      return { name, refuses, pass: createPass(built, services, config, snapshot) };
    }),
  );
}

async function openService(built, directory, rules) {
  const config = await configure(built, directory, { policy: { rules } });
  return await built.openPolicy(config, { observe: IGNORE, process: 'bench' });
}
