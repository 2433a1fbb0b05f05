import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** What the scenarios use of the build from within. */
const MODULES = [
  'base/protocol/cancellation.js',
  'config/load/data-directories.js',
  'config/load/load-config.js',
  'gateway/captured-gateway.js',
  'gateway/large-answers.js',
  'gateway/memory-budget.js',
  'gateway/pipeline/pipeline.js',
  'gateway/snapshot.js',
  'policy/policy.js',
  'results/query/result-types.js',
  'results/results.js',
];

/** Whether a build can be measured from within: another one's files may be others. @param modules its folder, `dist` */
export function hasModules(modules) {
  return MODULES.every((file) => existsSync(join(modules, file)));
}

/** Everything that these modules export, by name. */
export async function importBuilt(modules) {
  return Object.assign({}, ...(await Promise.all(MODULES.map((file) => import(pathToFileURL(join(modules, file)))))));
}
