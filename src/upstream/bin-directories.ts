import { dirname, join } from 'node:path';

/**
 * The folders where packages put their programs, nearest first: `node_modules/.bin` beside each starting folder and beside
 * every folder above it, as Node looks for modules.
 * https://nodejs.org/api/modules.html#loading-from-node_modules-folders
 */
export function listBinDirectories(startingFolders: readonly string[]): readonly string[] {
  return [...new Set(startingFolders.flatMap(foldersUpward).map((folder) => join(folder, 'node_modules', '.bin')))];
}

function foldersUpward(folder: string): readonly string[] {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [folder, ...foldersUpward(parent)];
}
