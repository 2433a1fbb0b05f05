import { type Operation, type Parameter, pathOf } from './operation.js';

/** What a value can be required to be. */
const DEMAND =
  /(?:an? |one of|at (?:least|most)|between|(?:strictly )?(?:greater|less|positive|negative)|non-|(?:non)?empty|integer|string|number|boolean|array|object|absolute|relative|valid|provided|specified|given|set to|unique|equal|pattern|format|required propert|additional propert|<|>)/
    .source;
/** What messages call a parameter. A key that opens something is none. */
const PARAMETER =
  /(?:argument|parameter|param|field|property|option|input|(?<!\b(?:api|access|secret|private|public|license|foreign|primary|ssh|encryption|subscription)[ _-])key)/
    .source;
const TYPE =
  /(?:string|number|integer|int|float|boolean|bool|array|list|object|dict|date|enum|null|undefined|none|nan|nothing)/
    .source;
/** What a service wants before it works, which no argument gives. */
const NO_PARAMETER =
  /(?:authentication|authorization|authorisation|login|log-?in|sign-?in|credentials?|payment|subscription|licen[cs]e|upgrade|restart|reboot|approval|confirmation|consent|permission|internet|network|docker|root|sudo|it|this|that|which|action|access)/
    .source;

/** Phrases of a server, or of the library that checks its arguments. */
const SAYS_FAULT = new RegExp(
  [
    /cannot (?:be )?(?:specify|specified|use|used|combine|combined|provide|provided|set)\b.{0,80}\b(?:both|together|simultaneously|at the same time)\b/
      .source,
    /mutually exclusive/.source,
    /\bmust (?:not )?(?:be|have|contain|match|start with|end with) /.source + DEMAND,
    /please (?:specify|provide|supply|pass)\b/.source,
    /(?:missing|unknown|unexpected|unrecogni[sz]ed|unsupported|required|invalid|bad) (?:required )?/.source + PARAMETER,
    `${PARAMETER}s?\\b.{0,80}\\b(?:is|are) (?:required|missing|invalid|not allowed|mandatory)`,
    `^\\W{0,3}(?:error: )?['"\`]?(?!${NO_PARAMETER}\\b)[\\w.]{1,60}['"\`]? (?:is|are) (?:required|mandatory)\\b`,
    // Zod, in words and as its list of issues.
    `\\bexpected (?:an? |type )?['"\`]?${TYPE}\\b.{0,60}\\b(?:received|but got|got)\\b`,
    /\binvalid (?:literal value|enum value|option|discriminator value)\b/.source,
    /"code": ?"(?:invalid_type|invalid_enum_value|invalid_literal|invalid_string|invalid_union|invalid_format|invalid_value|too_small|too_big|unrecognized_keys|not_multiple_of)"/
      .source,
    // Pydantic: the model that it checks is the tool's call, not an answer of a service.
    /\b\d{1,4} validation errors? for (?:call\[|\w{1,80}(?:Arguments|Args|Params|Parameters|Input)\b)/.source,
    // The MCP library for Python, and JSON Schema.
    /\binput validation error\b/.source,
    /\badditional properties are not allowed\b/.source,
    /\bis a required property\b/.source,
    /\bis not of type ['"`]/.source,
    /\binvalid (?!(?:\w+ ){0,2}(?:credentials?|tokens?|keys?|passwords?|logins?|responses?|answers?) )(?:[a-z]+ ){1,3}(?:specified|given|provided|supplied)\b/
      .source,
    /\b(?:invalid|unknown|unsupported|unrecogni[sz]ed)\b.{1,80}\b(?:supported|valid|allowed|available|accepted|known)(?: \w+)?(?:: | (?:are|is|include)\b)/
      .source,
    /\b(?:cannot|could not|can't|unable to|failed to) parse ['"`].{1,80}['"`] (?:as|to) /.source,
    /\binvalid (?:value|type|enum|format|date|uuid|url|id|path|regex|pattern|syntax|json(?! response))\b/.source,
  ].join('|'),
  'im',
);

/** What a server, or a service behind it, answered is at fault, and no argument. */
const OF_ANSWER =
  /\b(?:output|response|reply|result) (?:validation|schema|body|model|format|type)\b|\bstructured ?content\b|\bvalidation errors? for \w{0,80}(?:Response|Result|Reply|Output)\b|\b(?:in|from|by|of) (?:the |its )?(?:api|upstream|server|service|backend|response|reply)\b/i;

/** Whether an upstream's words say that the arguments are wrong. */
export function saysArgumentFault(words: string): boolean {
  return SAYS_FAULT.test(words) && !OF_ANSWER.test(words);
}

/** Names stand at the beginning. */
const MAX_READ = 2_000;
const NAME = /[A-Za-z_$][\w$-]{0,60}/.source;

/** Where messages name a parameter; the group is its name, and what follows a dot or a bracket lies inside it. */
const NAMED: readonly RegExp[] = [
  // Zod: `"path": ["items", 0]`, and `→ at items[0]`.
  new RegExp(String.raw`"path": ?\[\s{0,20}"(${NAME})"`, 'g'),
  /→ at ([A-Za-z_$][\w$-]{0,60})/g,
  // Ajv: `/items/0 must be string`, `data.items[0] should be string`.
  new RegExp(
    String.raw`(?:^|[\s'"\u0060])(?:data|params|arguments|input|body)?[/.](${NAME})[\w/.[\]]{0,80} (?:must|should)\b`,
    'gm',
  ),
  // `parameter 'id'`, `required property 'id'`, `argument: id`.
  new RegExp(
    String.raw`\b(?:argument|parameter|param|field|property|option|input|key)(?:s|\(s\))?(?: named)?:? ?['"\u0060](${NAME})`,
    'gi',
  ),
  new RegExp(String.raw`\b(?:argument|parameter|param|field|property)(?:s|\(s\))?: (${NAME})`, 'gi'),
  // `'id' is a required property`, `id is required`, `"id" must be a number`, `limit: must be positive`.
  new RegExp(String.raw`(?:^|[\s'"\u0060:(])(${NAME})['"\u0060]?:? (?:is|are|must|should|has to|have to)\b`, 'gm'),
  new RegExp(String.raw`\b(?:for|specify|provide|supply|pass)(?: an?| the)? ['"\u0060](${NAME})['"\u0060]`, 'gi'),
  // Pydantic: the name alone in a line, the fault in the next.
  new RegExp(String.raw`^(${NAME})(?:\.[\w.]{1,80})?\r?\n {1,8}\S`, 'gm'),
  // `id: Required`
  new RegExp(String.raw`(?:^|[\s'"\u0060])(${NAME}): (?:required|invalid|expected|missing)\b`, 'gim'),
];

/** Most parameters that an answer names; a message that names more speaks of all of them. */
const MOST_NAMED = 3;

/** The parameters that an upstream's words say are wrong, as callers write them; none where that is not clear. */
export function findRefusedParameters(words: string, { parameters }: Pick<Operation, 'parameters'>): readonly string[] {
  const beginning = words.slice(0, MAX_READ);
  const names = new Set(NAMED.flatMap((pattern) => [...beginning.matchAll(pattern)].map(([, name = '']) => name)));
  const isNamed = ({ name, upstreamName }: Parameter): boolean => names.has(upstreamName) || names.has(name);
  const found = parameters.filter(isNamed).map(pathOf);
  return found.length > MOST_NAMED ? [] : found;
}
