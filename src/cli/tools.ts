import type { Command } from 'commander';
import type { Terminal } from './terminal.js';
import { registerToolsCall } from './tools-call.js';
import { registerToolsInspect } from './tools-inspect.js';
import { registerToolsList } from './tools-list.js';
import { registerToolsSearch } from './tools-search.js';

export function registerTools(program: Command, terminal: Terminal): void {
  const tools = program.command('tools').description('list, find, explain and call operations');
  registerToolsList(tools, terminal);
  registerToolsSearch(tools, terminal);
  registerToolsInspect(tools, terminal);
  registerToolsCall(tools, terminal);
}
