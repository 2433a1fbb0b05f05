import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** What a build is made of, below the folder of package.json. */
const SOURCES = ['src', 'tools', 'package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.build.json'];

/** Written last by a build, and removed first by the next: what is in `compiled` is neither packed nor kept by the bundler. */
export const MARK = 'dist/compiled/built';

/** Whether a build has ended since its sources last changed, be it that a file was written, added or removed. */
export function isBuilt(folder) {
  const mark = join(folder, MARK);
  if (!existsSync(mark)) return false;
  const built = statSync(mark).mtimeMs;
  return SOURCES.every((source) => newestOf(join(folder, source)) <= built);
}

/** When a file, or anything in a folder, last changed: removing a file changes its folder. */
function newestOf(path) {
  if (!existsSync(path)) return 0;
  const status = statSync(path);
  if (!status.isDirectory()) return status.mtimeMs;
  return readdirSync(path).reduce((newest, name) => Math.max(newest, newestOf(join(path, name))), status.mtimeMs);
}
