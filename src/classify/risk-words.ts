/** Names and words by which `find-risks` knows arguments that make a call more dangerous. */

const setOf = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Words that say that a protection is overridden; what is only read cannot be lost by them. */
export const FORCING = setOf(
  'force forced forcibly hard permanent permanently unsafe override bypass confirm confirmed yes replace',
);
/** First words of switches that choose what is shown, or that prevent the loss. */
export const SHOWING = setOf(
  `strip sanitize redact include includes show list only exclude with without keep preserve skip no dont not return fetch get prevent avoid is has can
    was detect warn ask require dry preview never`,
);
/** What is forced, replaced or removed beside these words is no loss. */
export const HARMLESS = setOf(
  `refresh reload fetch refetch new rescan recompute recheck cache cached duplicates duplicate whitespace formatting matches
    occurrences images base64 nulls empty html tags label labels tag assignee assignees reviewer reviewers watcher watchers
    reaction reactions filter filters every signal retry
    shading border borders bullets style styles header headers console`,
);
/** Beside a losing word these leave no doubt that a READ removes what it reads. */
export const AFTERWARDS = setOf(
  'after before on read reading fetch retrieval all force ack source stats state logs messages queue',
);
export const UNPROTECTED =
  /^(?:skip|no|without|ignore|disable|suppress|auto)_(?:\w+_)?(?:approve|approval|confirm|confirmation|confirmations|prompt|prompts|backup|backups|safety|safeguards?|checks?|verify|verification|protections?|locks?)$/;
/** Parameters that hold the options of a command line, as one text or a list of them. */
export const OPTIONS_LINE = /^(?:(?:extra|additional|other|cli|git|command|command_line)_)?(?:flags|switches)$/;
/** The same, unless the tool runs something, whose own arguments these are. */
export const ARGUMENTS_LINE = /^(?:(?:cli|git|command|command_line)_)?(?:args|arguments)$/;
/** How the words of a command line begin that remove, overwrite or override a protection. */
export const LOSING_OPTIONS: readonly string[] = [
  ...`force delete hard prune overwrite remove purge mirror discard wipe permanent cascade no-verify no-backup yes`
    .split(' ')
    .map((word) => `--${word}`),
  '-f',
  '-D',
];
/** The words of a tool's name that pushes with git, and not files or messages. */
export const GIT_PUSH = /^(?:git|push|pushes|remote|to|branch|branches|changes|commits?|refs?)$/;
/** What is pushed: https://git-scm.com/docs/git-push */
export const PUSHED_REFERENCE = /^(?:ref|refs|ref_?specs?|branch|branches)$/;
/** `+main` overwrites the branch of the other side, and `:main` removes it. */
export const LOSING_REFERENCE: readonly string[] = ['+', ':'];
export const GONE = /^(?:is_)?(?:in_trash|trashed|deleted|archived)$/;

export const FILE_NAME =
  /(?:^|_)(?:path|file|file_?name|filename|dir|directory|folder|output|destination|location)$|^(?:save_to|outfile|output_\w+)$/;
export const OUTPUT_NAME =
  /^(?:save_(?:to|path|as|dir)|(?:out|output)_(?:path|file|dir|directory|file_?name|filename)|outfile|export_path|(?:dump|export|write|upload|store)_to|store_(?:in|as))$/;
export const SAVING = /\b(?:saved?|writ(?:e|ten)|stored?|dump(?:ed)?|export(?:ed)?|download(?:ed)?|output)\b/i;
/** What is said of a folder that receives files; "output" alone may be what a build calls one. */
export const KEEPING = /\b(?:saved?|writ(?:e|ten)|stored?|dump(?:ed)?|export(?:ed)?|download(?:ed)?)\b/i;
export const SOURCE_NAME = /^(?:archive|source|src|input)(?:_|$)/;
export const LOADING = /\b(?:read|load|upload|open|parse|attach|import|compare)\b/i;

/** Parameters that hold the whole content of what an UPDATE changes. */
export const WHOLE_CONTENT =
  /^(?:contents?|file_contents?|new_contents?|config|configuration|manifest|script|source_code|definition|nodes|application|markdown_content)$/;

/** Enumerations with these names sort, filter or grant; their values do nothing. */
export const NO_ACTION =
  /(?:^|_)(?:sort|order|order_by|filter|events?|fields?|scopes?|permissions?|access|roles?|privileges?|format|view|reason|http|headers?)(?:_|$)/;
/** The values of these say how something looks, whatever they are called. */
export const LOOKS =
  /(?:^|_)(?:styles?|transitions?|animations?|effects?|easing|themes?|colou?rs?|fonts?|icons?)(?:_|$)/;
export const ACTION_LIST =
  /^(?:operations|ops|edits|changes|actions|commands|steps|updates|mutations|patch|patches|requests)$/;
export const ACTION_KEYS = ['type', 'op', 'action', 'operation'];
export const LOSING_VALUE = /^(?:hard|forced?|rewrite|archived|hard_\w+|force_\w+)$/;

export const DIALOGS = setOf('dialog alert popup prompt');
/** What an upload puts in the place of something that there is one of, such as a profile photo. */
export const UPLOADED = /^(?:body|file|photo|image|picture|data|base64)$/;
export const RESTORED = /^(?:paths|files|file_paths|pathspecs?)$/;
/** What is said of something is edited as a whole, and no work is lost with it. */
export const REMARKS = setOf('comment comments message reply review remark status annotation');

export const CONSENT = /^(?:confirm|confirmed|confirmation|consent|acknowledge(?:ment)?)(?:_\w+)?$/;
export const SAYS_DESTRUCTIVE =
  /\b(?:destructive|irreversible|dangerous|permanent(?:ly)?|data loss|cannot be undone)\b/i;

/** Switches that end the preparation of something, and how their description tells of the preparation. */
export const FINAL_STEP = /^(?:submit|finali[sz]e|file|lodge|commit|sign|settle|execute|auto_(?:submit|finali[sz]e))$/;
export const LEAVES_DRAFT =
  /\bimmediately\b|\b(?:if|when) (?:false|omitted|not set|unset)\b[^.]{0,80}\b(?:staged?|drafts?|prepared?|saved|kept|pending|held)\b|\bfinal\b|\bno longer be (?:changed|edited)/i;

/** What is stored under these names is often shown to nobody again. */
export const HIDDEN_NOUNS = setOf('env environment variable variables secret secrets credential credentials password');

export const CREATE_ONLY =
  /^(?:create_only|if_not_exists|only_if_missing|fail_if_exists|no_clobber|no_overwrite|exclusive)$/;

export const WRITING_METHODS: readonly string[] = ['POST', 'PUT', 'PATCH', 'DELETE'];

export const CONDITION = setOf('if when it needed unhealthy failed valid stale expired now automatically');

/** Parameters that hold the state that something takes. */
export const STATE = /(?:^|_)(?:status|state|phase|stage|disposition|resolution)$/;
/** How many of something run. */
export const AMOUNT_RUNNING =
  /^(?:replicas?|(?:desired|target|min|max)_(?:replicas|count|size|capacity|instances)|desired_count|instances?|instance_count|node_count|capacity|num_(?:replicas|workers|nodes)|workers?|worker_count)$/;
/** Parameters that select what is changed. */
export const SELECTION =
  /^(?:filters?|where|where_clause|conditions?|selectors?|label_selector|query|match|criteria|q|search|pattern|tags?|labels?)$/;
/** Words of a name that concern many things at once. */
export const BULK = /^(?:bulk|batch|mass|many|multi|all|every|everything)$/;
/** What is said of a list whose missing entries are lost. */
export const LEFT_OUT =
  /\b(?:not (?:provided|listed|included|given|present|specified|in the list)|left out|missing|omitted|absent)\b[^.]{0,60}\b(?:removed|deleted|dropped|lost|cleared)\b/i;
