import type { ToolFacts } from './facts.js';
import type { Effect } from './words/lexicon.js';
import { wordList } from './words/word-lists.js';

/** A kind of tool that runs arbitrary input of its caller. */
interface RunnerKind {
  readonly what: string;
  /** Parameters (words joined by underscores) that carry what is run. */
  readonly parameters: RegExp;
  /** Words of the name or of the main sentence that say so. */
  readonly subject: RegExp;
  /** Effects of verbs that run it, and verbs that run it although they usually have another effect. */
  readonly effects: ReadonlySet<Effect>;
  readonly verbs?: ReadonlySet<string>;
  /** Whether the subject alone says that it is run, where the name has no verb. */
  readonly named?: true;
  /** Where the main sentence or name says this, the tool runs nothing arbitrary. */
  readonly except?: RegExp;
}

/** What tools run that take a statement. */
export const RUNS_LANGUAGE = 'SQL or another language that can write';

const RUNNER_KINDS: readonly RunnerKind[] = [
  {
    what: 'commands',
    effects: new Set<Effect>(['run', 'lifecycle', 'send', 'interact', 'overwrite']),
    parameters: /(?:^|_)(?:commands?|cmds?|cmdline|shell|bash)$|^(?:args|arguments|input|steps)$/,
    subject: /\b(?:commands?|shell|bash|terminal|cmd|powershell|cli|process|subprocess|ssh)\b/i,
  },
  {
    what: 'code',
    effects: new Set<Effect>(['run']),
    parameters:
      /^(?:code|source|source_code|program|functions?|body|text|input|content)$|(?:^|_)(?:scripts?|snippet|expression|javascript|js|python|(?:python|js|javascript|script)_code)$/,
    subject:
      /\b(?:code|scripts?|javascript|js|python|typescript|expressions?|snippets?|program|lua|notebook cell|ruby|php|evaluate|eval)\b/i,
  },
  {
    what: RUNS_LANGUAGE,
    effects: new Set<Effect>(['run', 'overwrite']),
    verbs: new Set(['query']),
    parameters: /(?:^|_)(?:sql|query|queries|statements?|cypher|gql|graphql|mutation)$|^(?:command|input)$/,
    subject:
      /\b(?:\w*sql|graphql|gql|(?:open)?cypher|gremlin|sparql|mutations?|statements?)\b|\bmongo(?:db|sh)?\b.*\b(?:commands?|shell)\b|\b(?:execut\w*|runs?)\b.*\bquer(?:y|ies)\b.*\b(?:database|warehouse)\b/i,
    except:
      /\b(?:es\|?ql|promql|logql|traceql|jql|soql|sosl|kql|nrql)\b|\bread[- _]?only\b|\bselect (?:quer|statement)|\bread[- _](?:query|queries)\b|\b(?:explain|validate|format)\w* (?:an? )?\w*sql\b/i,
  },
  {
    what: 'requests',
    effects: new Set<Effect>(['run', 'send', 'lifecycle']),
    verbs: new Set(['make', 'request', 'fetch', 'post', 'put', 'patch', 'delete']),
    parameters: /^(?:url|uri|path|endpoint|route|request_url|target_url|api_path|href|requests?|body)$/,
    named: true,
    subject:
      /\b(?:arbitrary|any|raw|custom|generic|direct|http|https|rest)\b.*\b(?:requests?|calls?|api|endpoints?)\b|\bapi (?:requests?|calls?)\b|\b(?:post|put|patch|delete) requests?\b/i,
    except: /\b(?:get|head) requests?\b(?!.*\b(?:post|put|patch|delete)\b)|\bweb ?(?:page|site)\b/i,
  },
  {
    what: 'actions that only their name tells,',
    effects: new Set<Effect>(['run']),
    parameters:
      /^(?:(?:mcp_)?tools?|actions?|methods?|functions?|operations?|procedures?|rpc)(?:_(?:name|id|key|slug))?$/,
    subject: /\b(?:tools?|actions?|methods?|functions?|operations?|procedures?|rpc)\b/i,
  },
];

/** Effects of what keeps or handles its input, a parameter named `code` or `command` included, and does not carry it out. */
export const STORING = wordList('storing');

/**
 * Finds what a tool runs that runs arbitrary input: commands, code, SQL, requests. Undefined for all other tools.
 * The parameter must be free text, and the name or the main sentence must say that it is run.
 */
export function findRunner(facts: ToolFacts): string | undefined {
  const texts = [facts.words.join(' '), facts.description.main, firstSentence(facts.descriptionText)];
  for (const kind of RUNNER_KINDS) {
    const carrier = facts.parameters.find(({ key, values }) => values.length === 0 && kind.parameters.test(key));
    if (carrier === undefined || texts.some((text) => kind.except?.test(text))) continue;
    const named = [...texts, carrier.words.join(' ')].some((text) => kind.subject.test(text));
    if (named && carriesOut(facts, kind)) return `${kind.what} given in '${carrier.name}'`;
  }
  return undefined;
}

const firstSentence = (text: string): string => /^[^.\n]*/.exec(text.slice(0, 300).trim())?.[0] ?? '';

const keeps = (effect: Effect): boolean => STORING.has(effect) || effect === 'update';

function carriesOut(facts: ToolFacts, kind: RunnerKind): boolean {
  const lead = facts.name.find(({ role }) => role === 'lead');
  if (lead === undefined && kind.named) return true;
  if (lead !== undefined && keeps(lead.effect) && !kind.verbs?.has(lead.word)) return false;
  const verbs = [
    ...facts.name.filter(({ role }) => role === 'lead' || role === 'likely' || role === 'joined'),
    ...facts.description.matches.filter(({ role }) => role !== 'later'),
  ];
  return verbs.some(({ effect, word }) => kind.effects.has(effect) || (kind.verbs?.has(word) ?? false));
}
