import type { ParameterFacts, ToolFacts } from './facts.js';
import { SELECTING } from './parameter-words.js';

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
