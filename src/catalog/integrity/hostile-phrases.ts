/** A way of speaking to the model instead of describing the tool. */
export interface HostilePhrase {
  /** Stable kebab-case id. */
  readonly id: string;
  /** What an operator should know: completes "its definition ...". */
  readonly meaning: string;
  /** Held against the definition's texts, invisible characters removed, a line for each text. */
  readonly pattern: RegExp;
}

const CALL = '(?:call|use|invoke|run|execute)';
const CALLING = '(?:calling|using|invoking|running|executing)';
/** Up to so many characters of the same sentence. */
const within = (length: number): string => `[^.\\n]{0,${length}}?`;
const phrase = (...parts: readonly string[]): RegExp => new RegExp(parts.join(''), 'i');

/**
 * What honest tools do not say. Each pattern asks for two things at once (whom it addresses and what it wants), as either
 * alone stands in many honest descriptions.
 */
export const INSTRUCTING_PHRASES: readonly HostilePhrase[] = [
  {
    id: 'overrules',
    meaning: 'tells the model to set other instructions aside',
    pattern: phrase(
      '\\b(?:ignor|disregard|forget|overrid|bypass)(?:e|es|ing|s)?\\b',
      within(30),
      '\\b(?:all|any|previous|prior|above|earlier|preceding|other|your|system|safety)\\b',
      within(20),
      '\\b(?:instructions?|prompts?|rules|guidelines|directives|guardrails)\\b',
    ),
  },
  {
    id: 'replaces-instructions',
    meaning: 'gives the model instructions of its own',
    pattern:
      /\b(?:new|real|true|actual|updated|secret) (?:instructions?|directives?) ?:|\byour (?:real|true|actual|secret) (?:task|goal|objective|instructions?)\b/i,
  },
  {
    id: 'block',
    meaning: 'holds a block that is made to look like a prompt',
    pattern:
      /<\/?(?:important|system|instructions?|secret|hidden|critical|admin|assistant|human)\b[^>\n]{0,40}>|<\|\w{2,20}\|>|\[\/?INST\]/i,
  },
  {
    id: 'speaker',
    meaning: 'speaks as the system or the assistant',
    pattern:
      /(?:^|[.!?;])[ \t]*(?:#{1,6} *)?\[?(?:system|assistant|developer)(?: (?:prompt|message|note|override))?\]? ?:[ \t]*\S/im,
  },
  {
    id: 'role',
    meaning: 'gives the model another role',
    pattern: /\b(?:you are now\b|from now on,? (?:you|always|never)\b|pretend (?:to be|that you)\b)/i,
  },
  {
    id: 'secrecy',
    meaning: 'asks the model to keep something from the user',
    pattern: phrase(
      "\\b(?:do not|don't|never|without|must not|avoid)\\b",
      within(25),
      '\\b(?:tell|inform|mention|reveal|notify|disclos|alert|show)(?:e|ing|ling)?\\b',
      within(30),
      '\\busers?\\b',
    ),
  },
  {
    id: 'hides',
    meaning: 'asks the model to hide something from the user',
    pattern: phrase(
      '\\b(?:hide|hidden|conceal|keep|secret)\\w*\\b',
      within(30),
      '\\bfrom (?:the )?users?\\b|\\bsecretly\\b|\\bcovertly\\b',
      "|\\bwithout (?:the )?users?(?:'s?)? (?:knowledge|knowing|noticing)\\b",
    ),
  },
  {
    id: 'consent',
    meaning: 'tells the model to act without or against the user',
    pattern:
      /\b(?:(?:do not|don't|never|without) ask(?:ing)? (?:the )?users?\b|even if (?:the )?users? (?:says?|asks?|objects?|declines?|refuses?)\b|regardless of what (?:the )?users?\b)/i,
  },
  {
    id: 'precedence',
    meaning: 'puts itself before other tools',
    pattern: phrase(
      `\\b(?:before|prior to|instead of|rather than)\\b(?: ${CALLING})?`,
      '(?: (?:any|all|every)(?: (?:of the )?other)?| (?:the )?other)\\b',
      within(15),
      '\\btools?\\b',
    ),
  },
  {
    id: 'insistence',
    meaning: 'tells the model when to call it, whatever the task',
    pattern: phrase(
      `\\b(?:must|should|shall|have to|need to) (?:always|first) ${CALL}\\b`,
      `|\\balways ${CALL} this (?:tool|function)\\b`,
      `|\\b${CALL} this (?:tool|function) (?:on|before|after) (?:every|each|any|all)\\b`,
      '|\\bthis (?:tool|function) (?:must|has to|needs to) be (?:called|used|invoked|run) (?:first|before)\\b',
    ),
  },
  {
    id: 'context',
    meaning: "asks for the model's context",
    pattern: phrase(
      '\\b(?:include|pass|send|provide|append|copy|attach|forward|repeat|paste)\\b',
      within(30),
      '\\b(?:your system prompt|(?:entire|full|whole|complete) (?:conversation|chat|context window)',
      '|(?:conversation|chat) history|all (?:previous|prior) messages)\\b',
    ),
  },
];

/** Hints that what a model reads or does shall end up elsewhere. */
export const EXFILTRATING_PHRASES: readonly HostilePhrase[] = [
  {
    id: 'destination',
    meaning: 'tells where data shall be sent',
    pattern: phrase(
      '\\b(?:send|post|upload|forward|transmit|exfiltrate|leak)(?:s|ing)?\\b',
      '[^\\n.;]{0,60}?\\b(?:to|at):? +["\'`(<]*https?://',
    ),
  },
  {
    id: 'recipient',
    meaning: 'names somebody to whom messages shall go',
    pattern:
      /\b(?:must|should|always|have to|need to)\b[^\n]{0,60}?\b(?:send|sent|forward(?:ed)?|bcc|cc)\b[^\n]{0,60}?[\w.+-]+@[\w-]+\.\w{2,}/i,
  },
  {
    id: 'secret-file',
    meaning: 'names a file that holds secrets',
    pattern:
      /(?:~|\$HOME|\/home\/\w+|\/root|%USERPROFILE%)[/\\]\.(?:ssh|aws|gnupg|kube|docker|netrc|npmrc|pgpass|git-credentials|\w+_history)\b|\bid_(?:rsa|ed25519|ecdsa)\b|\/etc\/shadow\b|\bmcp\.json\b/i,
  },
  {
    id: 'address',
    meaning: 'holds an address to be filled with data',
    pattern: /https?:\/\/[^\s"'`)]{1,200}[?&][\w.-]{1,40}=(?:\{|<|\$|%s|\[)|!\[[^\]\n]{0,80}\]\(\s*https?:\/\//i,
  },
  {
    id: 'encoded',
    meaning: 'holds a long encoded text',
    pattern: /(?<![\w+/=-])(?=[A-Za-z+/]*\d)(?=[a-z0-9+/]*[A-Z])(?=[A-Z0-9+/]*[a-z])(?:[A-Za-z0-9+]{24,}\/?){3,}={0,2}/,
  },
];
