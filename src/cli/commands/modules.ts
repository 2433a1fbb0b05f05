import type { Command } from 'commander';
import type { GatewayConfig } from '../../config/gateway-config.js';
import { type Module, modulesOf } from '../../gateway/module.js';
import { MODULES } from '../../modules/modules.js';
import { type CommonFlags, loadCliConfig } from '../shared/context.js';
import { printJson, printTable, type Terminal } from '../shared/terminal.js';

/** The members of the seam by which a module takes part: what it has not, it cannot do. */
const MEMBERS = ['settings', 'operations'] as const satisfies readonly (keyof Module)[];

export function registerModules(program: Command, terminal: Terminal): void {
  program
    .command('modules')
    .description('show what the gateway can do beyond calling, which of it is on, and its operations')
    .action(async (_own: unknown, command: Command) => {
      const flags = command.optsWithGlobals<CommonFlags>();
      const modules = describeModules(await loadCliConfig(flags, terminal));
      if (flags.json === true) printJson(terminal, modules);
      else printTable(terminal, ['MODULE', 'STATE', 'MAY', 'OPERATIONS'], modules.map(toRow));
    });
}

/** In their order; the operations of those that are off are what they would add. */
function describeModules(config: GatewayConfig) {
  return MODULES.map((module) => ({
    name: module.name,
    on: modulesOf(config, [module]).length > 0,
    may: MEMBERS.filter((member) => module[member] !== undefined),
    operations: module
      .operations({ upstreams: config.upstreams, has: () => true })
      .map(({ name, classification: { category } }) => ({ name, category })),
  }));
}

function toRow({ name, on, may, operations }: ReturnType<typeof describeModules>[number]): readonly string[] {
  const named = operations.map((operation) => `${operation.name} (${operation.category})`);
  return [name, on ? 'on' : 'off', may.join(', '), named.join(', ')];
}
