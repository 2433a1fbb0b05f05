import { rememberTexts } from '../base/lib/remember.js';
import { SQL_DIALECTS } from '../base/protocol/operation.js';
import { effectOfAction } from './judge-value.js';
import { proveSql } from './statement/sql/prove-sql.js';
import { writeShare } from './words/lexicon.js';
import { wordEntries, wordList } from './words/word-lists.js';

/** Names of calls and of subcommands that change something and are no English verbs. */
const ACTING_NAMES = wordList('acting-names');
/** Programs of a command line, by what has to follow for a text to be a command and no prose about them. */
const PROGRAMS = new Map(wordEntries('programs').map(([key, words]) => [key, words.map(escapeDots).join('|')]));

const pattern = (text: string, flags = 'i'): RegExp => new RegExp(text, flags);

/** Where a statement can begin: at the start, behind another one, in brackets, behind a word that introduces it. */
const BEGIN = '(?:^|[;({\\[\\n/]|\\b(?:as|begin|then|else|do|explain|analyze|go)\\b) ?';
/** Where a command can begin, and what stands before its program. */
const COMMAND =
  '(?:^|[;&|`(\\n"\']) ?(?:(?:sudo|doas|nohup|time|exec|env|xargs|then|do|cmd|/c)(?: -[\\w-]+)* |\\w+=\\S* )*(?:[\\w./~\\\\:-]*[/\\\\])?';
const THINGS =
  '(?:table|database|schema|view|index|column|function|procedure|trigger|user|role|sequence|type|extension|tablespace|keyspace|collection|measurement|series|bucket|stream|topic|constraint|policy|login|retention|continuous|shard|label|node|graph|property|namespace|warehouse|stage|task|pipe|event|server|domain|materialized|temporary|external|if)';

/** Texts of languages that can write, which do so: where a second pattern is given, both have to fit. Whitespace is one character, so that no pattern looks at a place twice. */
const WRITING: readonly (readonly [what: string, pattern: RegExp, beside?: RegExp])[] = [
  [
    'a statement that writes',
    pattern(
      `${BEGIN}(?:insert (?:(?:or \\w+ |ignore |overwrite )*into|overwrite) |(?:replace|upsert|merge) into |delete (?:\\w+ )?from [^ ]+ ?(?:$|[;)\\n]|\\b(?:\\w+ )?(?:where|using|returning|as|limit|order|values|allow|join)\\b)|delete [\\w.]+ where |delete \\w+:\\w|(?:insert|update|delete|upsert|undelete) \\w+ ?;|(?:backup|restore) (?:database|log|table) |dbcc \\w|update (?:only )?[^;\\n]{1,200}?[ \\n]set[ \\n][^;]{0,200}?=|drop ${THINGS}\\b|alter (?:session|system|${THINGS})\\b|truncate (?:table |\\w+ ?;)|create (?:or replace )?(?:(?:unique|temp|global|local|unlogged|virtual|materialized|external|temporary) )*(?:table|index|view|function|procedure|trigger|database|schema|user|role|sequence|type|extension|keyspace|login) [^\\n]{0,100}?(?:[(;=]|\\n|\\b(?:as|on|for|with|identified|if|is)\\b)|create database \\w+$|(?:grant|revoke) (?:all|select|insert|update|delete|execute|usage|create|connect|role|\\w+ to \\w+ ?(?:;|$|with)|\\w+ from \\w+ ?(?:;|$))\\b|remove (?:table|field|index|${THINGS}) |copy [^;]{1,200}? (?:to|from) (?:program|stdin|stdout|'|@|s3:)|load (?:data|xml|csv) |bulk insert |call [\\w.]+\\(|(?:exec|execute)(?: (?:immediate|procedure|block|as)\\b| ?[(@']| \\[?[\\w.]*\\.[\\w.\\]]+| \\w*_\\w+)|do (?:language \\w+ )?\\$|rename table |vacuum(?:;| into|$| full)|reindex(?:;|$| \\w+;?$)|pragma \\w+ ?=|attach (?:database )?'|detach (?:database )?\\w+;?$|(?:lock|unlock) tables?\\b|kill (?:query |connection )?\\d+|set (?:global|persist|session|@@|password|role|transaction)\\b|shutdown;|purge (?:binary|recyclebin|table|before)|refresh materialized|comment on \\w+ |import foreign )`,
    ),
  ],
  ['a statement that writes', /(?:^|[;(\n] ?)(?:TRUNCATE|EXEC|EXECUTE|CALL|VACUUM|REINDEX|UPSERT|MERGE) [\w"`[@]/],
  ['a statement that writes', /(?:^|[;(\n] ?)CREATE (?:[A-Z]+ )*[A-Z]+ [\w"`[@]/],
  ['a statement that writes', /\binto (?:outfile|dumpfile)\b/i],
  ['a statement that writes', /\binto (?:table |temp )?[\w#@."[\]]+ from\b/i, /^[( ]*(?:select|with)\b/i],
  ['a statement that writes', /;[^;]*\bend\b/i, /^(?:begin|declare)\b/i],
  [
    'a statement that writes',
    /\b(?:detach delete|delete|set|merge|create|remove|foreach|call)\b ?[\w({]/i,
    /^(?:optional match|match|unwind|merge|create|load csv)\b[^(]{0,200}\(\w*(?: ?[:{)])/i,
  ],
  ['a statement that writes', /\b(?:remove|insert|update|replace|upsert)\b/i, /^(?:for \w+ in \w|let \w+ ?=)/i],
  [
    'a statement that writes',
    /\.(?:drop|property|addV|addE|mergeV|mergeE)\(/,
    /\bg\.(?:V|E|addV|addE|mergeV|mergeE|inject)\b/,
  ],
  ['a statement that writes', /[{,] ?["']?\$(?:out|merge)\b/],
  [
    'a statement that writes',
    /(?:insert|delete)(?: data| where)? ?\{|^with <[^>]+> ?(?:insert|delete)|^(?:clear|drop|create|load|copy|move|add)(?: silent)? (?:graph|default|named|all|<)|\|> ?(?:to|delete) ?\(|^\.(?:drop|delete|create|create-merge|alter|alter-merge|purge|set|append|set-or-append|set-or-replace|ingest|clear|rename|execute|move|replace|undo|enable|disable|attach|detach|shell|system|import|output|save|restore|once|log|excel)\b/i,
  ],
  ['a GraphQL mutation', /(?:^|[}\n;] ?)(?:mutation|subscription)\b ?\w* ?(?:\([^)]*\) ?)?(?:@\w+[^{]*)?\{/i],
  ['an HTTP request that may write', /^(?:post|put|patch|delete|copy|move|propfind|mkcol|lock) (?:[a-z]+:\/)?\/\S*/i],
  ['an HTTP request that may write', /(?:^|\n)(?:POST|PUT|PATCH|DELETE) (?:[^ \n]*[/_-]|\*)/],
  ['a request that may write', /(?:^|\n)(?:MAIL FROM|RCPT TO|STOR|DELE|RMD|MKD|RNFR)\b[: ]/],
  ['an HTTP request that may write', /\b(?:method|type|verb)["']? ?(?:[:=]|=>) ?["'](?:post|put|patch|delete)\b/i],
  ['a command', /^(?:reboot|poweroff)$/i],
  ['a change of a directory', /(?:^|\n)(?:dn::? ?\w|changetype: ?\w)/i],
  [
    'a Redis command that writes',
    /^(?:flush(?:all|db)\b|(?:h|l|r|s|z|m|p|x|ps|pf|get|geo)(?:set|setnx|mset|del|add|rem|push|pop|trim|move|ackdel|expire|setex|incrby|merge)\b \S|(?:config|script|cluster|debug|acl|client|function) (?:set|rewrite|flush|kill|reset|deluser|setuser|load|delete|restore|failover|forget|resetstat|reload|segfault|pause)\b|evalsha\b|zremrange\w*|bgrewriteaof|bgsave|replicaof|slaveof)/i,
  ],
  [
    'a Redis command that writes',
    /^(?:DEL|UNLINK|SET|SETEX|SETNX|GETDEL|GETSET|EXPIRE|PERSIST|RENAME|RENAMENX|INCR|INCRBY|DECR|DECRBY|APPEND|EVAL|PUBLISH|RESTORE|MIGRATE|MOVE|COPY|SWAPDB|SORT|SPOP|SAVE|SHUTDOWN|FAILOVER)(?: \S|$)/,
  ],
  [
    'a command of a debugger',
    /^(?:(?:shell|jump|monitor|compile) (?:[\w.*/-]+)|set (?:var(?:iable)? |\{|\$|\*)|(?:call|print|p|expr|expression)(?:\/\w+)? ?\(?(?:\w+(?: \*)?\) ?)?\w+(?:\(| ?=)|delete (?:breakpoints|display))\b ?[^ ]*(?: [^ ]+){0,3}$/,
  ],
  [
    'a command',
    pattern(
      `${COMMAND}(?:(?:${PROGRAMS.get('hard')}) [^ ]|(?:${PROGRAMS.get('plain')})(?:\\.exe)? (?:[^\\n;|&]{0,100}? )?(?:-{1,2}\\w|/\\w|[~.$"'\`/\\\\]|\\w+:[\\\\/]|[\\w-]+\\.\\w+(?:$|[ ;|&\\n]))|(?:kill|shutdown|halt|reboot|poweroff|init) (?:-|%|\\d|now|/))`,
    ),
  ],
  [
    'a command',
    /\b(?:echo|cat|printf|type)\b[^\n>]{0,100}>|\| ?(?:sudo )?(?:(?:ba|z|k|da|c)?sh|xargs|tee|iex|python\d?|node|perl|psql|mysql)\b|\$\([a-z]|:\(\) ?\{|\\! ?\w|^:?! ?\w+ |^:(?:w|wq|x|s|g|e|r|q|d|!|%)[!/ ]/,
  ],
  [
    'a command',
    /\b(?:Remove|Stop|Clear|Restart|Invoke|Disable|Uninstall|Unregister|Reset|Suspend|Dismount|Revoke|Initialize|Format|Rename|Disconnect|Deny|Block)-[A-Z][A-Za-z]+|\b(?:remove|stop|clear|restart|invoke|disable|enable|set|new|add|start|out|move|copy|write|import|export|install|uninstall|register|send|update|publish|grant|push|reset|restore|rename|format|unregister|tee)-[a-z]{2,}(?: ["'$]| [^\n|;]{0,100}?-[a-z]{2,}\b)|\[[\w.]+\]::\w+ ?\(/,
  ],
  [
    'a command',
    /\b(?:Set|New|Add|Start|Out|Move|Copy|Write|Import|Export|Install|Register|Enable|Send|Update|Publish|Grant|Push|Restore)-(?:(?:Item|Content|Service|Process|Object|Job|VM|File|Date|Host|Local|AD|Az|Mg)[A-Za-z]*\b|[A-Z][A-Za-z]+ ["'$\-\\/.])|\b(?:del|erase|rd|rmdir|format|reg|net|sc|taskkill|bcdedit|diskpart|icacls|attrib|schtasks|wmic|takeown) [^\n]{0,60}?(?:\/\w|[a-z]:)/i,
  ],
  [
    'code',
    /\b(?:system|exec|spawn|qx|eval|unlink|rmdir|popen|kill|iex|rm|die) ?["'`$][^\n]|\bdelete (?:\[|[\w$]+[.[]\w)|\b(?:window|document|process|globalThis|global|localStorage|sessionStorage|location|ENV|os\.environ|ObjC|self|this|module|exports)[.[][\w.[\]'"]+ ?=[^=~]|\bnew (?:Function|ActiveXObject|XMLHttpRequest|WebSocket|Worker|ProcessBuilder|File|FileWriter|Socket|Thread)\b|\btell app\w* "|\bdo shell script\b|\bwhile ?\(? ?(?:true|1)\b|\bdel [\w.]+\[|<\?php|<script\b|\bKill "|\bCreateObject ?\(|<%|\bimport (?:os|sys|shutil|subprocess|socket|ctypes)\b|\b[A-Z]\w*\.(?:delete|destroy|update|drop|truncate)_\w+|\bopen\([^),]{1,100}, ?(?:mode ?= ?)?["'][wax]/i,
  ],
];

function escapeDots(text: string): string {
  return text.replaceAll('.', '\\.').replaceAll('*', '\\w*');
}

/** What is called, and a word that brackets follow in prose: "file(s)". */
const CALLS = /(?<![\w$]|[\w$]\.)([a-z_$][\w$.]*)[!?]?(?: ?<[^<>()]{0,60}>)?\((?!(?:e?s|e?d|ing|optional)\))/gi;
const SUBCOMMAND = pattern(`${COMMAND}(?:${PROGRAMS.get('tools')})((?: [^ \\n;|&]+){1,5})`, 'gi');

/** Whether a name in any style says that something is changed: `delete_many`, `rmtree`, `writeFile`. */
const actsByName = rememberTexts((name): boolean => {
  if (ACTING_NAMES.has(name.toLowerCase())) return true;
  const effect = effectOfAction(name);
  return effect !== undefined && writeShare(effect) > 0;
});

/** How a text begins that may be a query; where nothing else than reading is proven of it, it may write. */
const QUERY = /^(?:[( ]*select\b|with (?:recursive )?[\w"]+ ?(?:\([^)]*\) ?)?as (?:not )?(?:materialized )?\()/i;

/** Without what some servers skip and others do not show: comments, formatting characters, runs of space. */
function plainOf(text: string): string {
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

/** Longer texts are not looked through: whatever they say would count. */
const LONGEST = 32_768;
/** Names of things, paths and addresses. */
const SINGLE = /^[^\s({;|&`$<>"'[\\]*$/;
const COMMAND_WORD = /^(?:flushall|flushdb|FLUSHALL|FLUSHDB|reboot|poweroff)$|[a-z]-[A-Z]/;
/** What only languages have: signs, options, several lines. */
const SIGNS = /[;({[<>|&`$=\\/:"#*~\n]|\s-|[a-z]-[A-Z]|^\s*[.!%]|[^\s -~]/;
const FIRST_WORDS = new Set(
  [...wordList('first-words'), ...[...PROGRAMS.values()].join('|').split('|')].map((word) => word.replaceAll('\\', '')),
);

/** Whether a text is nothing but words, of which the first begins no statement or command. */
function isPlain(text: string): boolean {
  if (text.length < 4 || SINGLE.test(text)) return !COMMAND_WORD.test(text);
  if (SIGNS.test(text)) return false;
  const [first = ''] = text.trimStart().split(/[\s.!]/, 1);
  return !first.includes('-') && !FIRST_WORDS.has(first.toLowerCase());
}

/**
 * What a text is that does something where it is run: a statement, a command, code. Undefined for prose, and for what only reads.
 * Linear in the text's length.
 */
export function findActingText(text: string): string | undefined {
  if (text.length > LONGEST) return 'more text than is looked through';
  if (isPlain(text)) return undefined;
  const plain = plainOf(text);
  const bare = /\/\*|--|#/.test(plain) ? withoutComments(plain) : plain;
  const isQuery = QUERY.test(bare);
  if (isQuery && proveSql(text, SQL_DIALECTS).read) return undefined;
  const fits = (form: RegExp): boolean => form.test(plain) || (bare !== plain && form.test(bare));
  const found = WRITING.find(([, form, beside]) => fits(form) && (beside === undefined || fits(beside)));
  if (found !== undefined) return found[0];
  for (const [, name = ''] of plain.matchAll(CALLS))
    if (name.split('.').some(actsByName)) return 'code that calls what changes something';
  for (const [, words = ''] of plain.matchAll(SUBCOMMAND))
    if (words.split(' ').some((word) => word !== '' && actsByName(word))) return 'a command';
  const first = /^[a-z]{2,20}(?= )/i.exec(plain)?.[0];
  return first !== undefined && / -{1,2}[a-z]/i.test(plain) && actsByName(first) ? 'a command' : undefined;
}
