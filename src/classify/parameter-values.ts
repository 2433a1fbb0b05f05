/** Names of parameters and words by which `rules` knows what a tool does. */

const setOfWords = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Switches that make a check or a computation change what it looks at. */
export const MUTATING_FLAG = setOfWords('fix autofix write in_place inplace persist');
/** `dry_run` reads as the verb `simulate`. */
export const PLAN_FLAG = setOfWords('simulate dryrun validate_only preview_only');
export const DESTRUCTIVE_FLAG = /^(?:prune|purge|overwrite|overwrite_.*|delete|remove|upsert|cascade|create_if_.*)$/;
export const LOCAL_PATH =
  /^(?:(?:local|save|output|download|target|dest|destination|out)_?(?:path|dir|directory|folder|file)|path|file_?path|save_as|save_to|destination|output|directory|folder)$/;

/** "Returns the created invoice", "Returns the id of the block that was queued": the result of a change. */
export const RESULT_OF_CHANGE =
  /\breturns?\b[^.]{0,60}?(?:\bthe (?:newly |just )?(?:created|added|updated|inserted|queued|booked|issued|posted)\b|\b(?:that|which) was (?:just )?(?:created|added|inserted|queued|booked|issued|submitted|reserved)\b|\bwent out\b)/i;

export const SELECTING =
  /(?:^|_)(?:ids?|names?|slug|uuid|number|app|apps|application|project|database|db|account|team|workspace|organization|org|region|environment|cluster|namespace|host|domain|repo|repository|owner)$/;

/** Verbs by which a description says how something is found out. */
export const PREPARING = setOfWords(
  `generate convert build compose compile prepare expand open select resolve authenticate authorize connect load run execute call
    perform refresh reload orchestrate guide review`,
);
