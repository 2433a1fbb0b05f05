import { isJsonObject, type JsonObject } from '../base/json/json.js';
import { toSnakeCase } from '../base/lib/names.js';
import { cleanLabel } from '../base/lib/text.js';
import type { RawTool } from '../base/protocol/tools.js';
import type { IsolationMode } from './upstream.js';

/** What is known of a server when it has connected. */
interface ServerFacts {
  readonly tools: readonly RawTool[];
  readonly era: 'legacy' | 'modern';
  /** Whether the server tells connections apart. */
  readonly hasSession: boolean;
}

interface Assessment {
  readonly mode: Extract<IsolationMode, 'shared' | 'session'>;
  readonly evidence: readonly string[];
  /** What an operator should decide. */
  readonly doubt?: string;
}

/**
 * Whether each session of the gateway needs a connection of its own to a server, by what its tools say of where its state is.
 *
 * State in the process, as a browser's page or a terminal, is mixed where callers share it. State in files or in a database is
 * common to all callers anyway, and two processes that keep one file may overwrite each other's changes: such servers are shared, and so is
 * everything of which nothing is known. Of a server that shows both, the operator is asked, unless the first is certain.
 */
export function assessIsolation({ tools, era, hasSession }: ServerFacts): Assessment {
  if (!hasSession)
    return shared(era === 'modern' ? 'protocol 2026-07-28 has no sessions' : 'it gives connections no session id');
  const offers = new Offers(tools.slice(0, MOST_TOOLS));
  const inProcess = findSigns(PROCESS_SIGNS, offers);
  const kept = findSigns(STORE_SIGNS, offers);
  const evidence = [...inProcess, ...kept].map(({ text }) => text);
  if (inProcess.some(({ isCertain }) => isCertain) || (inProcess.length > 0 && kept.length === 0))
    return { mode: 'session', evidence };
  if (inProcess.length === 0)
    return { mode: 'shared', evidence: [...evidence, 'no tool speaks of state in its process'] };
  return { mode: 'shared', evidence, doubt: describeDoubt(inProcess, kept) };
}

function shared(reason: string): Assessment {
  return { mode: 'shared', evidence: [reason] };
}

function describeDoubt(inProcess: readonly FoundSign[], kept: readonly FoundSign[]): string {
  const list = (signs: readonly FoundSign[]): string => signs.map(({ text }) => text).join('; ');
  return (
    `all callers share its connection, though it may keep state in its process (${list(inProcess)}) as well as elsewhere ` +
    `(${list(kept)}): set its "isolation" to "session" where callers must not see each other's state, else to "shared"`
  );
}

/** Lists are read in one turn. No server known has so many. */
const MOST_TOOLS = 2_000;
/** Values of a parameter that chooses what a tool does. */
const MOST_CHOICES = 60;
const CHOOSERS: ReadonlySet<string> = new Set(['action', 'command', 'method', 'mode', 'op', 'operation', 'type']);

/** One thing that a server can do: a tool, or one value of the parameter that chooses what it does. */
interface Offer {
  readonly tool: string;
  /** Its place among all of them. */
  readonly place: number;
  /** The words of its name that signs speak of. */
  readonly words: ReadonlySet<string>;
}

/** What a server can do, found by words: most tools have none that a sign speaks of, and are looked at once. */
class Offers {
  readonly #tools: readonly RawTool[];
  readonly #byWord = new Map<string, Offer[]>();
  /** The names of all parameters in snake_case; made when a sign asks for one. */
  #parameters: ReadonlySet<string> | undefined;

  constructor(tools: readonly RawTool[]) {
    this.#tools = tools;
    let place = 0;
    for (const tool of tools) {
      const [own, ...chosen] = namesOf(tool);
      if (own === undefined) continue;
      for (const name of [own, ...chosen]) this.#add(own, name, place++);
    }
  }

  /** The first whose name holds a word of each list. */
  first(pattern: Pattern): Offer | undefined {
    const byList = pattern.map((alternatives) => alternatives.flatMap((word) => this.#byWord.get(word) ?? []));
    const [rarest = []] = byList.toSorted((left, right) => left.length - right.length);
    return rarest
      .filter(({ words }) => pattern.every((alternatives) => alternatives.some((word) => words.has(word))))
      .toSorted((left, right) => left.place - right.place)[0];
  }

  takesOneOf(parameters: readonly string[]): boolean {
    this.#parameters ??= new Set(
      this.#tools
        .flatMap((tool) => Object.keys(propertiesOf(tool)).slice(0, MOST_CHOICES))
        .map((name) => toSnakeCase(name)),
    );
    return parameters.some((name) => this.#parameters?.has(name));
  }

  #add(tool: string, name: string, place: number): void {
    const words = new Set(
      toSnakeCase(name)
        .split('_')
        .filter((word) => SIGN_WORDS.has(word)),
    );
    if (words.size === 0) return;
    const offer = { tool, place, words };
    for (const word of words) {
      const known = this.#byWord.get(word);
      if (known === undefined) this.#byWord.set(word, [offer]);
      else known.push(offer);
    }
  }
}

/** Its name, and its name with each value of the parameter that chooses what it does. */
function namesOf(tool: RawTool): readonly string[] {
  const name = isJsonObject(tool) ? tool['name'] : undefined;
  if (typeof name !== 'string') return [];
  const choices = Object.entries(propertiesOf(tool)).flatMap(([key, schema]) =>
    isJsonObject(schema) && Array.isArray(schema['enum']) && CHOOSERS.has(toSnakeCase(key)) ? schema['enum'] : [],
  );
  const named = choices.filter((choice) => typeof choice === 'string').slice(0, MOST_CHOICES);
  return [name, ...named.map((choice) => `${name} ${choice}`)];
}

function propertiesOf(tool: RawTool): JsonObject {
  const { inputSchema } = isJsonObject(tool) ? tool : {};
  return isJsonObject(inputSchema) && isJsonObject(inputSchema['properties']) ? inputSchema['properties'] : {};
}

/** What a tool's name may hold: one word of each list. */
type Pattern = readonly (readonly string[])[];

/** Something that a server offers where its state is at a certain place. */
interface Sign {
  /** What it is, for the operator. */
  readonly what: string;
  /** Each is matched by one tool or more. */
  readonly tools: readonly Pattern[];
  /** Some tool takes one of these parameters. */
  readonly parameters?: readonly string[];
  /** Whether it speaks of this place alone. */
  readonly isCertain?: true;
}

const BEGIN = ['begin', 'create', 'launch', 'new', 'open', 'spawn', 'start'];
const TALK = ['input', 'interact', 'keys', 'output', 'read', 'send', 'write'];
const CONSOLES = ['console', 'process', 'pty', 'shell', 'terminal', 'tmux'];
const HANDLES = ['context', 'console', 'kernel', 'process', 'pty', 'repl', 'session', 'shell', 'terminal'];

const PROCESS_SIGNS: readonly Sign[] = [
  {
    what: 'a browser',
    tools: [[['goto', 'navigate']], [['click', 'hover', 'press']]],
    isCertain: true,
  },
  {
    what: 'a browser',
    tools: [
      [
        ['browser', 'page', 'tab'],
        ['goto', 'navigate'],
      ],
      [['screenshot', 'snapshot']],
    ],
    isCertain: true,
  },
  {
    what: 'a terminal',
    tools: [
      [BEGIN, CONSOLES],
      [TALK, CONSOLES],
    ],
    isCertain: true,
  },
  {
    what: 'a terminal',
    tools: [
      [['read'], ['terminal']],
      [['write', 'send'], ['terminal']],
    ],
    isCertain: true,
  },
  {
    what: 'a debugger',
    tools: [[['breakpoint', 'breakpoints']], [['attach', 'continue', 'evaluate', 'launch', 'step']]],
    isCertain: true,
  },
  { what: 'a notebook kernel', tools: [[['kernel', 'kernels']]] },
  {
    what: 'a notebook kernel',
    tools: [
      [
        ['execute', 'run'],
        ['cell', 'cells'],
      ],
    ],
  },
  { what: 'an interpreter', tools: [[['repl']]] },
  {
    what: 'sessions that it hands out',
    tools: [[BEGIN, HANDLES]],
    parameters: HANDLES.flatMap((noun) => [`${noun}_id`, `${noun}_name`]),
  },
  {
    what: 'a current directory or project',
    tools: [
      [
        ['change', 'select', 'set', 'switch', 'use'],
        ['active', 'current', 'working', 'workdir', 'cwd'],
      ],
    ],
  },
  { what: 'a current directory', tools: [[['cd', 'chdir']]] },
  { what: 'a current project', tools: [[['activate'], ['environment', 'project', 'workspace']]] },
  {
    what: 'settings of a session',
    tools: [[['clear', 'set', 'use'], ['session'], ['default', 'defaults', 'context']]],
  },
  { what: 'a connection that it keeps', tools: [[['connect']], [['disconnect']]] },
  {
    what: 'a chain of thoughts',
    tools: [[['sequentialthinking', 'thinking', 'thought']]],
    parameters: ['thought_number'],
  },
];

const STORE_SIGNS: readonly Sign[] = [
  {
    what: 'files',
    tools: [
      [
        ['read', 'get'],
        ['file', 'files'],
      ],
      [
        ['edit', 'save', 'write'],
        ['file', 'files'],
      ],
    ],
  },
  {
    what: 'a knowledge graph',
    tools: [
      [
        ['add', 'create'],
        ['entities', 'observations', 'relations'],
      ],
    ],
  },
  {
    what: 'a memory',
    tools: [
      [
        ['add', 'remember', 'save', 'store'],
        ['memories', 'memory', 'note', 'notes'],
      ],
    ],
  },
  {
    what: 'a database',
    tools: [
      [['aggregate', 'query', 'sql', 'statement']],
      [['collection', 'collections', 'database', 'databases', 'table', 'tables']],
    ],
  },
];

const SIGN_WORDS: ReadonlySet<string> = new Set(
  [...PROCESS_SIGNS, ...STORE_SIGNS].flatMap(({ tools }) => tools.flat(2)),
);

interface FoundSign {
  readonly text: string;
  readonly isCertain: boolean;
}

/** The signs that are seen, each kind once, with the tools that show it. */
function findSigns(signs: readonly Sign[], offers: Offers): readonly FoundSign[] {
  const found = new Map<string, FoundSign>();
  for (const { what, tools, parameters, isCertain = false } of signs) {
    if (found.has(what)) continue;
    const names = tools.flatMap((pattern) => {
      const offer = offers.first(pattern);
      return offer === undefined ? [] : [cleanLabel(offer.tool)];
    });
    if (names.length < tools.length || (parameters !== undefined && !offers.takesOneOf(parameters))) continue;
    found.set(what, { text: `${what}: ${[...new Set(names)].join(', ')}`, isCertain });
  }
  return [...found.values()];
}
