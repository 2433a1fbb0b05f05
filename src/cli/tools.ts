import type { Command } from 'commander';
import type { Terminal } from './terminal.js';
import { registerToolsCall } from './tools-call.js';
import { registerToolsInspect } from './tools-inspect.js';
import { registerToolsList } from './tools-list.js';

export function registerTools(program: Command, terminal: Terminal): void {
  const tools = program.command('tools').description('list, explain and call operations');
  registerToolsList(tools, terminal);
  registerToolsInspect(tools, terminal);
  registerToolsCall(tools, terminal);
}
