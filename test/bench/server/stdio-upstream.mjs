// A lean MCP server over stdio. node stdio-upstream.mjs --tools N [--pid-file FILE]
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { readLines } from '../process/read-lines.mjs';
import { createAnswerer } from './answer-message.mjs';
import { buildTools } from './catalogue.mjs';

const { values } = parseArgs({
  options: { tools: { type: 'string', default: '10' }, 'pid-file': { type: 'string' } },
});
// Whoever kills the server has to know which process it is: its parent is another program.
if (values['pid-file'] !== undefined) writeFileSync(values['pid-file'], String(process.pid));

const answer = createAnswerer(buildTools(Number(values.tools)));
readLines(process.stdin, (line) => {
  const text = answer(JSON.parse(line));
  if (text !== undefined) process.stdout.write(`${text}\n`);
});
process.stdin.on('end', () => process.exit(0));
