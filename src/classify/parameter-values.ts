import type { ParameterFacts, ToolFacts } from './facts.js';

/** Numbers that say how many, where or when. */
const COUNTED =
  /(?:^|_)(?:ids?|days?|weeks?|months?|years?|hours?|minutes?|seconds?|count|limit|size|lat|lon|lng|latitude|longitude|radius|depth|k|n|page|generations)$/;
/** Words of parameters that hold what is written or sent. */
const VALUE =
  /(?:^|_)(?:text|texts|message|note|notes|body|content|contents|data|payload|values?|amount|price|score|status|state|title|description|summary|reason|grounds?|e?mail|recipients?|to|phone|webhook|image|file|comment|answer|confirm|force|new|items|payee|password|action|method|mode|command)(?:_|$)/;

/** Whether a parameter may hold a value that is written, and does not only say which, how many, where or when. */
export function mayHoldValue({ key, number }: ParameterFacts): boolean {
  return number ? !PAGING.has(key) && !COUNTED.test(key) : VALUE.test(key);
}

/** A read hardly needs so many values. */
const MOST_REQUIRED = 2;

/** Whether all parameters only say which thing is meant, or how much of it is shown. */
export function takesNoValue(parameters: readonly ParameterFacts[]): boolean {
  return !parameters.some(mayHoldValue) && parameters.filter(({ required }) => required).length <= MOST_REQUIRED;
}

/** Names of parameters and words by which `rules` knows what a tool does. */

const setOfWords = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

export const PAGING = setOfWords(
  `limit page per_page page_size page_number page_token page_num cursor offset max_results max_records max_count start_cursor next_page_token num_results top skip count top_k first after before sort sort_by order_by fetch_pages fetch_all_pages`,
);
export const QUERY = setOfWords(
  `query q search search_term search_query keyword keywords filter filters pattern question user_query include expand verbose`,
);
/** Switches that make a check or a computation change what it looks at. */
export const MUTATING_FLAG = setOfWords('fix autofix write in_place inplace persist');
/** `dry_run` reads as the verb `simulate`. */
export const PLAN_FLAG = setOfWords('simulate dryrun validate_only preview_only');
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
export const PREPARING = setOfWords(
  `generate convert build compose compile prepare expand open select resolve authenticate authorize connect load run execute call
    perform refresh reload orchestrate guide review`,
);

/** Parameters that say which state something is to take. */
export const SWITCH = /^(?:on|off|enabled?|disabled?|active|muted|locked|state|power|paused|visible)$/;
export const SETTING =
  /^(?:new_\w+|target_\w+|percent|percentage|brightness|volume|speed|force|temperature|level|angle|setpoint|state|power)$/;

/**
 * Tools whose texts only name a thing mostly show it. One that is given the very thing, beside what it belongs to, sets it:
 * `temperature(oven, degrees)`, `deadline(task, date)`, "Cause and manner of a death" with `cause`.
 */

const words = (text: string): readonly string[] => text.trim().split(/\s+/);

/** What a thing is given as, by the singular noun that names it. */
const GIVEN_AS: ReadonlyMap<string, RegExp> = new Map(
  (
    [
      ['temperature setpoint heat warmth', /^(?:degrees?|celsius|fahrenheit|temp|temperature|value)$/],
      ['speed pace velocity', /^(?:speed|step|steps|kmh|kph|mph|rpm|knots|percent|value)$/],
      ['level volume brightness opening power intensity position', /^(?:percent|percentage|level|value|watts?)$/],
      ['position location place', /^(?:lat|latitude|x|position|location)$/],
      ['price fee rent wage salary budget deposit discount', /^(?:amount|sum|price|fee|percent|new_\w+)$/],
      ['deadline birthday appointment date', /^(?:date|day|at|when|until|due|deadline|due_date)$/],
      [
        'schedule threshold timer alarm rota',
        /^(?:at|(?:on|off|opens?|closes?|shuts?)_at|cron|interval|every|threshold)$/,
      ],
      ['score mark grade rating result', /^(?:points?|marks?|scores?|stars|grade|rating|passed|result)$/],
      ['owner assignee keeper manager', /^(?:owner|assignee|new_owner|person|keeper|manager)$/],
      ['status state condition', /^(?:status|state|condition)$/],
      ['name title nickname', /^(?:name|title|new_name)$/],
      ['signature photo picture portrait', /^(?:image|photo|picture|signature|data|file)$/],
      [
        'note comment answer complaint appeal objection apology message letter remark feedback review reply claim statement notice',
        /^(?:text|message|body|content|letter|note|comment|reason|grounds?|answer)$/,
      ],
    ] as const
  ).flatMap(([nouns, keys]) => words(nouns).map((noun) => [noun, keys] as const)),
);

/** The one or two nouns that a text names first: "Cause and manner of a death", "Speed step of a locomotive". */
const HEADS =
  /^(?:(?:an?|the) )?(?:\w+ ){0,3}?(\w+)(?:,? and (\w+))?(?: (?:of|for|in|at|on|to|against|between|from) |[.,;]|$)/i;

const VERBLESS: ReadonlySet<string> = new Set(['noun', 'thing', 'information']);

const isFree = ({ key, required, values }: ParameterFacts): boolean =>
  required && values.length === 0 && !/_ids?$/.test(key);

/** The required parameter that gives what a tool names where others have a verb. */
export function findNamedValue({
  name,
  words: named,
  description,
  descriptionText,
  parameters,
}: ToolFacts): ParameterFacts | undefined {
  if ([...name, ...description.matches].some(({ role }) => !VERBLESS.has(role))) return undefined;
  const given = parameters.filter(isFree);
  if (given.length === 0) return undefined;
  const heads = (HEADS.exec(descriptionText.slice(0, 80)) ?? [])
    .slice(1)
    .flatMap((one) => (one ? [one.toLowerCase()] : []));
  const nouns = [...heads, ...named.slice(-1)];
  const several = parameters.filter(({ required }) => required).length > 1;
  return given.find(
    ({ key, material }) =>
      nouns.some(
        (noun) =>
          (several || material || key === 'letter' || key === 'reason') && GIVEN_AS.get(noun)?.test(key) === true,
      ) ||
      (several && heads.includes(key) && !SELECTING.test(key)),
  );
}
