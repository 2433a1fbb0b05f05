import { rememberTexts } from '../base/lib/remember.js';
import { SQL_DIALECTS } from '../base/protocol/operation.js';
import { effectOfAction, losesByWord } from './judge-value.js';
import { proveSql } from './statement/sql/prove-sql.js';
import { writeShare } from './words/lexicon.js';
import { splitWords } from './words/vocabulary.js';
import { wordEntries, wordList } from './words/word-lists.js';

/** Names of calls and of subcommands that change something and are no English verbs. */
export const ACTING_NAMES = wordList('acting-names');
/** Programs of a command line, by what has to follow for a text to be a command and no prose about them. */
const PROGRAMS = new Map(wordEntries('programs').map(([key, words]) => [key, words.map(escapeDots).join('|')]));

const pattern = (text: string, flags = 'i'): RegExp => new RegExp(text, flags);

/** Where a statement can begin: at the start, behind another one, in brackets, behind a word that introduces it. */
const BEGIN = '(?:^|[;({\\[\\n/]|\\b(?:as|begin|then|else|do|explain|analyze|go)\\b) ?';
/** Where a command can begin, and what stands before its program: settings, and commands that run another one with what follows their own words. */
const COMMAND = `(?:^|[;&|\`(\\n"']|\\n(?:- )?[\\w-]+: ) ?(?:(?:then|do|/c)(?: -[\\w-]+)* |\\w+=\\S{0,200} )*(?:[\\w./~\\\\:-]{0,200}\\b(?:${PROGRAMS.get('wrappers')})(?:\\.exe)?(?: [^ \\n;|&]+){0,8}? )?(?:[\\w./~\\\\:-]*[/\\\\])?`;
const THINGS =
  '(?:table|database|schema|view|index|column|function|procedure|trigger|user|role|sequence|type|extension|tablespace|keyspace|collection|measurement|series|bucket|stream|topic|constraint|policy|login|retention|continuous|shard|label|node|graph|property|namespace|warehouse|stage|task|pipe|event|server|domain|materialized|temporary|external|if)';

/** Texts of languages that can write, which do so: of two patterns both have to fit. Whitespace is one character, so that no pattern looks at a place twice. */
const WRITING: Readonly<Record<string, readonly (RegExp | readonly [RegExp, RegExp])[]>> = {
  'a statement that writes': [
    pattern(
      `${BEGIN}(?:insert (?:(?:or \\w+ |ignore |overwrite )*into|overwrite) |(?:replace|upsert|merge) into |delete (?:\\w+ )?from [^ ]+ ?(?:$|[;)\\n]|\\b(?:\\w+ )?(?:where|using|returning|as|limit|order|values|allow|join)\\b)|delete [\\w.]+ where |delete \\w+:\\w|(?:insert|update|delete|upsert|undelete) \\w+ ?;|(?:backup|restore) (?:database|log|table) |dbcc \\w|update (?:only )?[^;\\n]{1,200}?[ \\n]set[ \\n][^;]{0,200}?=|drop ${THINGS}\\b|alter (?:session|system|${THINGS})\\b|truncate (?:table |\\w+ ?;)|create (?:or replace )?(?:(?:unique|temp|global|local|unlogged|virtual|materialized|external|temporary) )*(?:table|index|view|function|procedure|trigger|database|schema|user|role|sequence|type|extension|keyspace|login) [^\\n]{0,100}?(?:[(;=]|\\n|\\b(?:as|on|for|with|identified|if|is)\\b)|create database \\w+$|(?:grant|revoke) (?:all|select|insert|update|delete|execute|usage|create|connect|role|\\w+ to \\w+ ?(?:;|$|with)|\\w+ from \\w+ ?(?:;|$))\\b|remove (?:table|field|index|${THINGS}) |copy [^;]{1,200}? (?:to|from) (?:program|stdin|stdout|'|@|s3:)|load (?:data|xml|csv) |bulk insert |call [\\w.]+\\(|(?:exec|execute)(?: (?:immediate|procedure|block|as)\\b| ?[(@']| \\[?[\\w.]*\\.[\\w.\\]]+| \\w*_\\w+)|do (?:language \\w+ )?\\$|rename table |vacuum(?:;| into|$| full)|reindex(?:;|$| \\w+;?$)|pragma \\w+ ?=|attach (?:database )?'|detach (?:database )?\\w+;?$|(?:lock|unlock) tables?\\b|kill (?:query |connection )?\\d+|set (?:global|persist|session|@@|password|role|transaction)\\b|shutdown;|purge (?:binary|recyclebin|table|before)|refresh materialized|comment on \\w+ |import foreign )`,
    ),
    /(?:^|[;(\n] ?)(?:TRUNCATE|EXEC|EXECUTE|CALL|VACUUM|REINDEX|UPSERT|MERGE) [\w"`[@]/,
    /(?:^|[;(\n] ?)CREATE (?:[A-Z]+ )*[A-Z]+ [\w"`[@]/,
    /\binto (?:outfile|dumpfile)\b|^update [^;]{1,200}? with ?[{(]|:db\/(?:add|retract|cas|excise)/i,
    [/\binto (?:table |temp )?[\w#@."[\]]+ from\b/i, /^[( ]*(?:select|with)\b/i],
    [/;[^;]*\bend\b/i, /^(?:begin|declare)\b/i],
    [
      /\b(?:detach delete|delete|set|merge|create|remove|foreach|call)\b ?[\w({]/i,
      /^(?:optional match|match|unwind|merge|create|load csv)\b[^(]{0,200}\(\w*(?: ?[:{)])/i,
    ],
    [/\b(?:remove|insert|update|replace|upsert)\b/i, /^(?:for \w+ in \w|let \w+ ?=)/i],
    [/\.(?:drop|property|addV|addE|mergeV|mergeE)\(/, /\bg\.(?:V|E|addV|addE|mergeV|mergeE|inject)\b/],
    /[{,] ?["']?\$(?:out|merge)\b/,
    /(?:insert|delete)(?: data| where)? ?\{|^with <[^>]+> ?(?:insert|delete)|^(?:clear|drop|create|load|copy|move|add)(?: silent)? (?:graph|default|named|all|<)|\|> ?(?:to|delete) ?\(|^\.(?:drop|delete|create|create-merge|alter|alter-merge|purge|set|append|set-or-append|set-or-replace|ingest|clear|rename|execute|move|replace|undo|enable|disable|attach|detach|shell|system|import|output|save|restore|once|log|excel)\b/i,
  ],
  'a GraphQL mutation': [/(?:^|[}\n;] ?)(?:mutation|subscription)\b ?\w* ?(?:\([^)]*\) ?)?(?:@\w+[^{]*)?\{/i],
  'an HTTP request that may write': [
    /^(?:post|put|patch|delete|copy|move|propfind|mkcol|lock) (?:[a-z]+:\/)?\/\S*/i,
    /(?:^|\n)(?:POST|PUT|PATCH|DELETE) (?:[^ \n]*[/_-]|\*)/,
    /\b(?:method|type|verb)["']? ?(?:[:=]|=>) ?["'](?:post|put|patch|delete)\b/i,
  ],
  'a request that may write': [/(?:^|\n)(?:MAIL FROM|RCPT TO|STOR|DELE|RMD|MKD|RNFR)\b[: ]/],
  'a command': [
    /^AT(?:[+&][A-Z]|D\d)|^(?:reboot|poweroff|halt)$|^:? ?>{1,2} ?[^ >]*[./][^ ]*$/i,
    pattern(
      `${COMMAND}(?:(?:${PROGRAMS.get('hard')}) [^ ]|(?:${PROGRAMS.get('plain')})(?:\\.exe)? (?:[^\\n;|&]{0,100}? )?(?:-{1,2}\\w|/\\w|[~.$"'\`/\\\\]|\\w+:[\\\\/]|[\\w-]+\\.\\w+(?:$|[ ;|&\\n]))|(?:kill|shutdown|halt|reboot|poweroff|init) (?:-|%|\\d|now|/))`,
    ),
    pattern(`${COMMAND}(?:echo|cat|printf|type)\\b[^\\n>]{0,100}>(?!=)`),
    /\| ?(?:sudo )?(?:(?:ba|z|k|da|c)?sh|xargs|tee|iex|python\d?|node|perl|psql|mysql)\b|\$\([a-z]|:\(\) ?\{|\\! ?\w|^:?! ?\w+ |^:(?:w|wq|x|s|g|e|r|q|d|!|%)[!/ ]/,
    /\b(?:Remove|Stop|Clear|Restart|Invoke|Disable|Uninstall|Unregister|Reset|Suspend|Dismount|Revoke|Initialize|Format|Rename|Disconnect|Deny|Block)-[A-Z][A-Za-z]+|\b(?:remove|stop|clear|restart|invoke|disable|enable|set|new|add|start|out|move|copy|write|import|export|install|uninstall|register|send|update|publish|grant|push|reset|restore|rename|format|unregister|tee)-[a-z]{2,}(?: ["'$]| [^\n|;]{0,100}?-[a-z]{2,}\b)|\[[\w.]+\]::\w+ ?\(/,
    /\b(?:Set|New|Add|Start|Out|Move|Copy|Write|Import|Export|Install|Register|Enable|Send|Update|Publish|Grant|Push|Restore)-(?:(?:Item|Content|Service|Process|Object|Job|VM|File|Date|Host|Local|AD|Az|Mg)[A-Za-z]*\b|[A-Z][A-Za-z]+ ["'$\-\\/.])|\b(?:del|erase|rd|rmdir|format|reg|net|sc|taskkill|bcdedit|diskpart|icacls|attrib|schtasks|wmic|takeown) [^\n]{0,60}?(?:\/\w|[a-z]:)/i,
  ],
  'a change of a directory': [/(?:^|\n)(?:dn::? ?\w|changetype: ?\w)/i],
  'a Redis command that writes': [
    /^(?:flush(?:all|db)\b|(?:h|l|r|s|z|m|p|x|ps|pf|get|geo)(?:set|setnx|mset|del|add|rem|push|pop|trim|move|ackdel|expire|setex|incrby|merge)\b \S|(?:config|script|cluster|debug|acl|client|function) (?:set|rewrite|flush|kill|reset|deluser|setuser|load|delete|restore|failover|forget|resetstat|reload|segfault|pause)\b|(?:del|unlink|setex|setnx|getdel|incr|incrby|decr|decrby|pexpire) \S+(?: \S+)?$|evalsha\b|zremrange\w*|bgrewriteaof|bgsave|replicaof|slaveof)/i,
    /^(?:DEL|UNLINK|SET|SETEX|SETNX|GETDEL|GETSET|EXPIRE|PERSIST|RENAME|RENAMENX|INCR|INCRBY|DECR|DECRBY|APPEND|EVAL|PUBLISH|RESTORE|MIGRATE|MOVE|COPY|SWAPDB|SORT|SPOP|SAVE|SHUTDOWN|FAILOVER)(?: \S|$)/,
  ],
  'a command of a debugger': [
    /^(?:(?:shell|jump|monitor|compile) (?:[\w.*/-]+)|set (?:var(?:iable)? |\{|\$|\*)|(?:call|print|p|expr|expression)(?:\/\w+)? ?\(?(?:\w+(?: \*)?\) ?)?\w+(?:\(| ?=)|delete (?:breakpoints|display))\b ?[^ ]*(?: [^ ]+){0,3}$/,
  ],
  code: [
    /\b(?:system|exec|spawn|qx|eval|unlink|rmdir|popen|kill|iex|rm|die) ?["'`$][^\n]|\bqx[{(/]|\)\.\w[\w.]* ?=(?![=>~])|\bdelete (?:\[|[\w$]+[.[]\w)|\b(?:window|document|process|globalThis|global|localStorage|sessionStorage|location|ENV|os\.environ|ObjC|self|this|module|exports)[.[][\w.[\]'"]+ ?=[^=~]|\bnew (?:Function|ActiveXObject|XMLHttpRequest|WebSocket|Worker|ProcessBuilder|File|FileWriter|Socket|Thread)\b|\btell app\w* "|\bdo shell script\b|\bwhile ?\(? ?(?:true|1)\b|\bdel [\w.]+\[|<\?php|<script\b|\bKill "|\bCreateObject ?\(|<%|\bimport (?:os|sys|shutil|subprocess|socket|ctypes)\b|\bopen\([^),]{1,100}, ?(?:mode ?= ?)?["'][wax]/i,
  ],
};

function escapeDots(text: string): string {
  return text.replaceAll('.', '\\.').replaceAll('*', '\\w*');
}

/** What is called, and a word that brackets follow in prose: "file(s)". */
const CALLS = /(?<![\w$]|[\w$]\.)([a-z_$][\w$.]*)[!?]?(?: ?<[^<>()]{0,60}>)?\((?!(?:e?s|e?d|ing|optional)\))/gi;
/** What is called without brackets, of a class or behind a call: `User.delete_all`, `Post.last.destroy`. */
const CHAINS = /(?:(?<![\w$.])[A-Z]\w*(?:::\w+)*|\))(?:\.\w+(?:\([^()]*\))?){0,8}\.([A-Za-z]\w*)!?(?=$|[\s;})\]])/g;
const losesAsMethod = (name: string): boolean =>
  splitWords(name).some((word) => losesByWord(word) && !/(?:ed|ion|al)$/.test(word));
const SUBCOMMAND = pattern(`${COMMAND}(?:${PROGRAMS.get('tools')})((?: [^ \\n;|&]+){1,5})`, 'gi');

/** Whether a name in any style says that something is changed: `delete_many`, `rmtree`, `writeFile`. */
export const actsByName = rememberTexts((name): boolean => {
  if (ACTING_NAMES.has(name.toLowerCase())) return true;
  const effect = effectOfAction(name);
  return effect !== undefined && writeShare(effect) > 0;
});

/** How a text begins that may be a query; where nothing else than reading is proven of it, it may write. */
const QUERY = /^(?:[( ]*select\b|with (?:recursive )?[\w"]+ ?(?:\([^)]*\) ?)?as (?:not )?(?:materialized )?\()/i;

/** Without what some servers skip and others do not show: comments, formatting characters, runs of space. */
export function plainOf(text: string): string {
  const shown = /[^\n -~]/.test(text) ? text.normalize('NFKC').replace(/\p{Cf}|\p{Mn}/gu, '') : text;
  const spaced = shown.replace(/\s+/g, (run) => (run.includes('\n') ? '\n' : ' '));
  return spaced.trim();
}

/** Comments of SQL; what MySQL runs of them stays. */
const withoutComments = (text: string): string =>
  text
    .replace(/\/\*![0-9]*/g, ' ')
    .replace(/\/\*(?:[^*]|\*(?!\/))*(?:\*\/|$)|(?:^|(?<=[\s;]))(?:--|#)[^\n]*/g, ' ')
    .replace(/ *\n */g, '\n')
    .replace(/ {2,}/g, ' ')
    .trim();

/** Longer texts are not looked through, but for one word, as encoded bytes are: whatever they say would count. */
const LONGEST = 32_768;
/** Names of things, paths and addresses. */
const SINGLE = /^[^\s({;|&`$<>"'[\\]*$/;
const COMMAND_WORD =
  /^(?:flushall|flushdb|FLUSHALL|FLUSHDB|reboot|poweroff|halt)$|[a-z]-[A-Z]|^[A-Z]\w*(?:::\w+)*\.[a-z]/;
/** What only languages have: signs, options, several lines. */
const SIGNS = /^[A-Z]{3,} [A-Z]{2}|\s'|[;({[<>|&`$=\\/:"#*~\n]|\s-|[a-z]-[A-Z]|^\s*[.!%]|[^\s -~]/;
const FIRST_WORDS = new Set(
  [...wordList('first-words'), ...[...PROGRAMS.values()].join('|').split('|')].map((word) => word.replaceAll('\\', '')),
);

/** Words that sentences need, and languages for machines do not. */
const OF_SENTENCES =
  /\b(?:the|it|its|is|are|was|were|been|you|we|they|he|she|my(?! [$@%])|your|our|their|his|this|these|those|that|how|why|what|which|who|should|would|could|can|cannot|don't|please|there|about|than|because|have|has|had|vs|versus|der|das|ist|nicht|und|los|las|que|les|est|che)\b|\ban? [a-z]{3,}/gi;

/** Whether a text is a sentence, or words about something. */
export function isProse(text: string): boolean {
  const unquoted = text.replace(/"[^"]*"|(?:#|--|\/\/) .*/g, '');
  const words = unquoted.split(/\s+/).length;
  return words > 2 && (unquoted.match(OF_SENTENCES) ?? []).length * 9 >= words;
}

/** Whether a text is nothing but words, of which the first begins no statement or command. */
function isPlain(text: string): boolean {
  if (text.length < 4 || SINGLE.test(text)) return !COMMAND_WORD.test(text);
  if (SIGNS.test(text)) return false;
  if (isProse(text)) return true;
  const [first = ''] = text.trimStart().split(/[\s.!]/, 1);
  return !first.includes('-') && !FIRST_WORDS.has(first.toLowerCase());
}

/**
 * What a text is that does something where it is run: a statement, a command, code. Undefined for prose, and for what only reads.
 * Linear in the text's length.
 */
export function findActingText(text: string): string | undefined {
  if (text.length > LONGEST && !SINGLE.test(text)) return 'more text than is looked through';
  if (isPlain(text)) return undefined;
  const plain = plainOf(text);
  const bare = /\/\*|--|#/.test(plain) ? withoutComments(plain) : plain;
  const isQuery = QUERY.test(bare);
  if (isQuery && proveSql(text, SQL_DIALECTS).read) return undefined;
  // What nobody knows a function to do, it may do.
  if (isQuery && /\w ?\(/.test(bare)) return 'a query that may write';
  const fits = (form: RegExp): boolean => form.test(plain) || (bare !== plain && form.test(bare));
  const found = Object.entries(WRITING).find(([, forms]) => forms.some((form) => [form].flat().every(fits)));
  if (found !== undefined) return found[0];
  for (const [, name = ''] of plain.matchAll(CALLS))
    if (name.split('.').some(actsByName)) return 'code that calls what changes something';
  for (const [, name = ''] of plain.matchAll(CHAINS))
    if (losesAsMethod(name)) return 'code that calls what changes something';
  for (const [, words = ''] of plain.matchAll(SUBCOMMAND))
    if (words.split(' ').some((word) => word !== '' && actsByName(word))) return 'a command';
  const [capitals = ''] = /(?:^|[;\n] ?)[A-Z]{3,}(?: [A-Z]{2,})+/.exec(plain) ?? [];
  if (plain !== plain.toUpperCase() && capitals.split(' ').some(actsByName)) return 'a statement that writes';
  const [, head, message, called = head ?? message ?? ''] =
    /^\((?:[\w.-]+\/)?([a-z][\w*!?-]*) ["'(\d].*\)$|^[A-Z]\w+ ([a-z]\w*): ["'#(\d]/.exec(plain) ?? [];
  if (actsByName(called) || losesAsMethod(called)) return 'code that calls what changes something';
  const first = /^[a-z]{2,20}(?= )/i.exec(plain)?.[0];
  return first !== undefined && / -{1,2}[a-z]/i.test(plain) && actsByName(first) ? 'a command' : undefined;
}
