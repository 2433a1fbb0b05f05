/**
 * Writes a bill of materials (CycloneDX) of what is installed to run the package.
 *
 * `npm sbom --omit=dev` leaves out packages that something for development needs too, so it is asked about a copy of the lock
 * without everything for development.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const read = (file) => JSON.parse(readFileSync(new URL(`../${file}`, import.meta.url), 'utf8'));

const withoutDevelopment = ({ devDependencies: _, scripts: __, ...manifest }) => manifest;
const manifest = withoutDevelopment(read('package.json'));
const lock = read('package-lock.json');
const kept = Object.entries(lock.packages).filter(([, { dev }]) => dev !== true);
const packages = Object.fromEntries(kept.map(([path, entry]) => [path, withoutDevelopment(entry)]));

const directory = mkdtempSync(join(tmpdir(), 'sbom-'));
try {
  writeFileSync(join(directory, 'package.json'), JSON.stringify(manifest));
  writeFileSync(join(directory, 'package-lock.json'), JSON.stringify({ ...lock, packages }));
  execFileSync('npm', ['sbom', '--package-lock-only', '--sbom-format=cyclonedx'], {
    cwd: directory,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
} finally {
  rmSync(directory, { recursive: true, force: true });
}
