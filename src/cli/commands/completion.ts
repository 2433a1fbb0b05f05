import { Argument, type Command } from 'commander';
import type { Terminal } from '../shared/terminal.js';

/** What can stand at one place of a command line. */
interface Choice {
  readonly word: string;
  readonly description: string;
}

/** A command with what can follow it, by the words that lead to it: `tools search`. */
interface Place {
  readonly chain: string;
  readonly commands: readonly Choice[];
  readonly options: readonly Choice[];
}

const WRITERS = { bash: writeBash, zsh: writeZsh, fish: writeFish } as const;

type Shell = keyof typeof WRITERS;

export function registerCompletion(program: Command, terminal: Terminal): void {
  program
    .command('completion')
    .description('print what completes this command line in a shell')
    .addArgument(new Argument('<shell>').choices(Object.keys(WRITERS)))
    .action((shell: Shell) => {
      terminal.out.write(WRITERS[shell](program.name(), listPlaces(program)));
    });
}

/** Every command of the program, the program itself first. */
function listPlaces(command: Command, chain: readonly string[] = []): readonly Place[] {
  const commands = command.commands.map((each) => ({ word: each.name(), description: each.description() }));
  const choices = command.registeredArguments.flatMap(({ argChoices, description }) =>
    (argChoices ?? readChoices(description)).map((word) => ({ word, description: '' })),
  );
  const options = optionsOf(command);
  return [
    { chain: chain.join(' '), commands: [...commands, ...choices], options },
    ...command.commands.flatMap((each) => listPlaces(each, [...chain, each.name()])),
  ];
}

/** Some arguments name their values in their description: `cursor, zed`. */
function readChoices(description: string): readonly string[] {
  const words = description.split(', ');
  return words.length > 1 && words.every((word) => /^[a-z][a-z-]*$/.test(word)) ? words : [];
}

/** Its own and those that every command takes. */
function optionsOf(command: Command): readonly Choice[] {
  const own = command.options.flatMap(({ long, description }) => (long ? [{ word: long, description }] : []));
  return command.parent === null ? own : [...own, ...optionsOf(command.parent)];
}

const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

function writeBash(name: string, places: readonly Place[]): string {
  return `# ${name}: add to ~/.bashrc:  source <(${name} completion bash)
_mcp_aql_gateway() {
  local chain="" word words
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
${writeChain(places)}
  done
  case "$chain" in
${places.map((place) => `    ${quote(place.chain)}) words=${quote(wordsOf(place).join(' '))} ;;`).join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _mcp_aql_gateway ${name}
`;
}

function wordsOf({ commands, options }: Place): readonly string[] {
  return [...commands, ...options].map(({ word }) => word);
}

/** Follows the words of the line to the command that they name; other words are arguments and values. */
function writeChain(places: readonly Place[]): string {
  const steps = places.flatMap(({ chain }) => {
    const words = chain.split(' ');
    return chain === '' ? [] : [quote(`${words.slice(0, -1).join(' ')} ${words.at(-1) ?? ''}`)];
  });
  return `    case "$chain $word" in
      ${steps.join('|')}) chain="\${chain:+$chain }$word" ;;
    esac`;
}

function writeZsh(name: string, places: readonly Place[]): string {
  const entry = ({ word, description }: Choice): string =>
    quote(`${word.replaceAll(':', '\\:')}:${description.replaceAll(':', '\\:')}`);
  const cases = places.map(({ chain, commands, options }) => {
    const entries = [...commands, ...options].map(entry).join(' ');
    return `    ${quote(chain)}) entries=(${entries}) ;;`;
  });
  return `#compdef ${name}
# ${name}: add to ~/.zshrc:  source <(${name} completion zsh)
_mcp_aql_gateway() {
  local chain="" word
  local -a entries
  for word in "\${words[@]:1:$((CURRENT - 2))}"; do
${writeChain(places)}
  done
  case "$chain" in
${cases.join('\n')}
  esac
  _describe ${quote(name)} entries || _files
}
compdef _mcp_aql_gateway ${name}
`;
}

function writeFish(name: string, places: readonly Place[]): string {
  const lines = places.flatMap(({ chain, commands, options }) => {
    const words = chain.split(' ').filter((word) => word !== '');
    const [next] = commands;
    const seen = words.map((word) => `__fish_seen_subcommand_from ${word}`);
    const names = commands.map(({ word }) => word).join(' ');
    const notYet = next === undefined ? [] : [`not __fish_seen_subcommand_from ${names}`];
    const when = (conditions: readonly string[]): string =>
      conditions.length === 0 ? '' : ` -n ${quote(conditions.join('; and '))}`;
    return [
      ...commands.map(
        ({ word, description }) =>
          `complete -c ${name}${when([...seen, ...notYet])} -a ${word} -d ${quote(description)}`,
      ),
      ...options.map(
        ({ word, description }) => `complete -c ${name}${when(seen)} -l ${word.slice(2)} -d ${quote(description)}`,
      ),
    ];
  });
  const header = `# ${name}: ${name} completion fish > ~/.config/fish/completions/${name}.fish`;
  return `${[header, ...new Set(lines)].join('\n')}\n`;
}
