// Copies what the compiler leaves out: the files of src that are no TypeScript (the thesaurus, what the console serves).
import { cpSync } from 'node:fs';
import { extname } from 'node:path';

cpSync('src', 'dist', { recursive: true, filter: (path) => extname(path) !== '.ts' });
