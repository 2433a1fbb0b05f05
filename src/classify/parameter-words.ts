/** Names of parameters and words by which `rules` knows what a tool does. */

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

export const PAGING = words(
  `limit page per_page page_size page_number page_token page_num cursor offset max_results max_records max_count start_cursor next_page_token num_results top skip count top_k first after before sort sort_by order_by fetch_pages fetch_all_pages`,
);
export const QUERY = words(
  `query q search search_term search_query keyword keywords filter filters pattern question user_query include expand verbose`,
);
/** Switches that make a check or a computation change what it looks at. */
export const MUTATING_FLAG = words('fix autofix write in_place inplace persist');
/** `dry_run` reads as the verb `simulate`. */
export const PLAN_FLAG = words('simulate dryrun validate_only preview_only');
export const DESTRUCTIVE_FLAG = /^(?:prune|purge|overwrite|overwrite_.*|delete|remove|upsert|cascade|create_if_.*)$/;
export const FORCE_FLAG =
  /^(?:force|forced|force_push|confirm|confirmed|confirmation|replace|clear|reset|clean|permanent|permanently|(?:delete|remove|apply|auto_fix)_?.*)$/;
export const PAYLOAD =
  /^(?:body|content|contents|text|message|html|markdown|payload|data|values|records|documents|properties|attachments?|file_content|new_.*|title|description)$/;
export const LOCAL_PATH =
  /^(?:(?:local|save|output|download|target|dest|destination|out)_?(?:path|dir|directory|folder|file)|path|file_?path|save_as|save_to|destination|output|directory|folder)$/;
export const STATEMENT_READ_ONLY =
  /\bread[- ]only\b|\b(?:does not|doesn't|never) (?:modify|change|mutate|alter|write)|\bwithout (?:modifying|changing|altering)\b|\bno side effects?\b/i;
export const STATEMENT_WRITES =
  /\b(?:write|mutating|state-changing|destructive) (?:operation|action|tool)\b|\bhas side effects\b|\b(?:modifies|mutates) (?:the )?(?:remote |server |stored )?(?:state|data)\b/i;

/** "Returns the created invoice", "Returns the id of the block that was queued": the result of a change. */
export const RESULT_OF_CHANGE =
  /\breturns?\b[^.]{0,60}?(?:\bthe (?:newly |just )?(?:created|added|updated|inserted|queued|booked|issued|posted)\b|\b(?:that|which) was (?:just )?(?:created|added|inserted|queued|booked|issued|submitted|reserved)\b|\bwent out\b)/i;

export const SELECTING =
  /(?:^|_)(?:ids?|names?|slug|uuid|number|app|apps|application|project|database|db|account|team|workspace|organization|org|region|environment|cluster|namespace|host|domain|repo|repository|owner)$/;

/** Verbs by which a description says how something is found out. */
export const PREPARING = words(
  `generate convert build compose compile prepare expand open select resolve authenticate authorize connect load run execute call
    perform refresh reload orchestrate guide review`,
);

/** Parameters that say which state something is to take. */
export const SWITCH = /^(?:on|off|enabled?|disabled?|active|muted|locked|state|power|paused|visible)$/;
export const SETTING =
  /^(?:new_\w+|target_\w+|percent|percentage|brightness|volume|speed|force|temperature|level|angle|setpoint|state|power)$/;
