import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The folder that holds package.json: two above the built `dist/cli`. */
export const PACKAGE_DIRECTORY = fileURLToPath(new URL('../../', import.meta.url));

interface PackageInfo {
  readonly name: string;
  readonly version: string;
}

/** Name and version as published; what the gateway calls itself towards clients and upstreams. */
export function readPackageInfo(): PackageInfo {
  const { name, version } = JSON.parse(readFileSync(`${PACKAGE_DIRECTORY}package.json`, 'utf8')) as PackageInfo;
  return { name, version };
}
