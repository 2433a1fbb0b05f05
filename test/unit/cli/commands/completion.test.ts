import { execFileSync } from 'node:child_process';
import { Argument, Command } from 'commander';
import { expect, it } from 'vitest';
import { registerCompletion } from '../../../../src/cli/commands/completion.js';

function complete(shell: string): string {
  let text = '';
  const write = (chunk: string): boolean => {
    text += chunk;
    return true;
  };
  const out = { write } as unknown as NodeJS.WritableStream;
  const program = new Command('mcp-aql-gateway').option('--json', 'print JSON').exitOverride();
  program.command('serve').description("serve: it's the server").option('--port <number>', 'the port');
  program.command('tools').command('search').option('--limit <n>', 'how many');
  program.command('connect').addArgument(new Argument('<client>', 'cursor, zed'));
  registerCompletion(program, { out, err: out });
  program.parse(['node', 'x', 'completion', shell]);
  return text;
}

/** What bash offers after these words, of which the last is not complete. */
function offered(...words: readonly string[]): readonly string[] {
  const all = ['mcp-aql-gateway', ...words].map((word) => `'${word}'`).join(' ');
  const script = `${complete('bash')}
COMP_WORDS=(${all}); COMP_CWORD=${words.length}; _mcp_aql_gateway; echo "\${COMPREPLY[@]}"`;
  return execFileSync('bash', ['-c', script], { encoding: 'utf8' }).trim().split(' ');
}

it.skipIf(process.platform === 'win32')('bash offers commands, their options and what their arguments may be', () => {
  expect(offered('')).toEqual(['serve', 'tools', 'connect', 'completion', '--json']);
  expect(offered('se')).toEqual(['serve']);
  expect(offered('serve', '--')).toEqual(['--port', '--json']);
  expect(offered('--json', 'tools', '')).toEqual(['search', '--json']);
  expect(offered('tools', 'search', '--l')).toEqual(['--limit']);
  expect(offered('connect', '')).toEqual(['cursor', 'zed', '--json']);
  expect(offered('completion', 'z')).toEqual(['zsh']);
});

it('zsh and fish get the same words with their descriptions, quoted', () => {
  expect(complete('zsh')).toContain(`'serve:serve\\: it'\\''s the server'`);
  expect(complete('zsh')).toContain(`'tools search') entries=('--limit:how many' '--json:print JSON') ;;`);
  expect(complete('fish')).toContain(
    `complete -c mcp-aql-gateway -n '__fish_seen_subcommand_from serve' -l port -d 'the port'`,
  );
  expect(complete('fish')).toContain(
    `complete -c mcp-aql-gateway -n '__fish_seen_subcommand_from connect; and not __fish_seen_subcommand_from cursor zed' -a zed -d ''`,
  );
});
