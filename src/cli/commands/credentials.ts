import type { Command } from 'commander';
import type { GatewayConfig } from '../../config/gateway-config.js';
import { withShared } from '../shared/context.js';
import { CliError, EXIT_CODE } from '../shared/exit-code.js';
import { oneLine, printJson, printTable, type Terminal } from '../shared/terminal.js';

const GRANTS = {
  open: (config: GatewayConfig) => import('../../gateway/operator-api.js').then((api) => api.openSharedGrants(config)),
  notShared:
    'What users have granted is in the memory of the gateway alone: users end it on its pages, /connect/NAME. To see it here, set ' +
    'credentials.key, and store.type to sqlite or redis',
};

const OTHER_KEY =
  "were kept with another 'credentials.key' and are not used: their users connect anew, or the former key is set again";

export function registerCredentials(program: Command, terminal: Terminal): void {
  const credentials = program.command('credentials').description('the accounts that users have connected');
  credentials
    .command('list')
    .description('list who has connected an account of which server')
    .action((_own: unknown, command: Command) =>
      withShared(GRANTS, command, terminal, async (grants, { json }) => {
        const list = await grants.list();
        if (json === true) {
          printJson(terminal, list);
          return;
        }
        const rows = list.map(({ upstream, owner, issuer, scope, grantedAt }) =>
          [upstream, owner, new Date(grantedAt).toISOString(), issuer, scope].map(oneLine),
        );
        printTable(terminal, ['SERVER', 'OWNER', 'SINCE', 'ISSUER', 'SCOPE'], rows);
        const unreadable = list.filter(({ readable }) => !readable).length;
        if (unreadable > 0) terminal.err.write(`${unreadable} of ${list.length} ${OTHER_KEY}\n`);
      }),
    );
  credentials
    .command('revoke <server> <owner>')
    .description("end what an owner, as 'credentials list' writes them, has granted for a server")
    .action((server: string, owner: string, _own: unknown, command: Command) =>
      withShared(GRANTS, command, terminal, async (grants) => {
        if (!(await grants.revoke(server, owner))) {
          throw new CliError(EXIT_CODE.refused, 'There is no such grant; see: credentials list');
        }
        terminal.err.write('Revoked.\n');
      }),
    );
}
