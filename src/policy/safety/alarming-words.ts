import { type DangerLevel, dangerRank } from '../../base/protocol/operation.js';
import { NAME_PATTERNS } from '../../classify/assess-danger.js';
import { findVerb } from '../../classify/words/find-verb.js';
import { EFFECTS, type Effect } from '../../classify/words/lexicon.js';

/** What words say of an action's danger, and the words. */
export interface WordedDanger {
  readonly level: DangerLevel;
  /** Why, in words: "'rm -rf' removes files for good". */
  readonly reason: string;
}

/** Actions on shells, databases and machines that cannot be taken back, in lower case. Each form is found in one pass. */
const FORMS: readonly { readonly form: RegExp; readonly level: DangerLevel; readonly means: string }[] = [
  {
    form: /\brm\s+(?=(?:-[\w-]+\s+)*-(?:\w{0,8}r|-recursive))(?=(?:-[\w-]+\s+)*-(?:\w{0,8}f|-force))-[\w-]+/,
    level: 'forbidden',
    means: 'removes files for good',
  },
  {
    form: /\b(?:mkfs(?:\.\w+)?|fdisk|wipefs|shred|dd\s+if=\S+\s+of=\/dev|format\s+[a-z]:)/,
    level: 'forbidden',
    means: 'erases a disk',
  },
  {
    form: /\b(?:drop|truncate)\s+(?:table|database|schema|collection|index|keyspace)\b/,
    level: 'forbidden',
    means: 'drops data',
  },
  {
    form: /\b(?:delete|remove|wipe|erase|destroy|drop)\s+(?:\w+\s+){0,3}(?:everything|all|production|prod)\b/,
    level: 'forbidden',
    means: 'removes everything',
  },
  {
    form: /\b(?:terraform|pulumi|kubectl)\s+(?:destroy|delete)\b/,
    level: 'forbidden',
    means: 'removes running services',
  },
  { form: /\bdelete\s+from\s+\S+(?!.{0,400}\bwhere\b)/, level: 'forbidden', means: 'removes every row' },
  {
    form: /\bgit\s+push\b.{0,200}?(?:--force\b|--mirror\b|\s-f\b)/,
    level: 'dangerous',
    means: 'overwrites the work of others',
  },
  { form: /\bfind\b.{0,200}?\s-(?:delete|exec\s+rm)\b/, level: 'dangerous', means: 'removes every file it finds' },
  { form: /\bgit\s+(?:reset\s+--hard|clean\s+-\w*f|filter-branch)\b/, level: 'dangerous', means: 'throws work away' },
  {
    form: /\b(?:curl|wget)\b.{0,300}?\|\s*(?:sudo\s+)?(?:ba|z|da|k)?sh\b/,
    level: 'dangerous',
    means: 'runs code from the network',
  },
  { form: /\b(?:sudo|doas|runas)\s+\S/, level: 'dangerous', means: 'acts as the administrator' },
  { form: /\bchmod\s+(?:-\w+\s+)*0?777\b/, level: 'dangerous', means: 'gives everybody access' },
  { form: /\bdelete\s+from\b/, level: 'dangerous', means: 'removes rows' },
  {
    form: /--(?:force|hard|no-preserve-root|yes-i-really-mean-it)\b/,
    level: 'dangerous',
    means: 'overrides a protection',
  },
  {
    form: /\b(?:permanently|irreversibly|irrevocably|without (?:a )?backup|cannot be undone)\b/,
    level: 'dangerous',
    means: 'cannot be undone',
  },
  {
    form: /\b(?:bypass|disable|turn off|switch off)\w*\s+(?:\w+\s+){0,2}(?:safety|security|firewall|auth\w*|protection|audit\w*|logging|backups?)\b/,
    level: 'dangerous',
    means: 'takes a protection away',
  },
];

/** The danger of verbs that do more than their category says. */
const STRONGER: Readonly<Partial<Record<Effect, DangerLevel>>> = { purge: 'dangerous', pay: 'dangerous' };

/** The worst that words in lower case say; undefined where they say nothing that is lost. @param text the same words, joined */
export function alarmOf(words: readonly string[], text: string): WordedDanger | undefined {
  const worst = worstOf([...formsIn(text), ...namesIn(words), ...verbsIn(words)]);
  return worst !== undefined && dangerRank(worst.level) >= dangerRank('destructive') ? worst : undefined;
}

/** What the verbs of a text say that it does; undefined where no verb is known. */
export function actionOf(words: readonly string[]): WordedDanger | undefined {
  return worstOf(verbsIn(words));
}

export function worstOf(found: readonly WordedDanger[]): WordedDanger | undefined {
  return found.toSorted((one, other) => dangerRank(other.level) - dangerRank(one.level))[0];
}

function formsIn(text: string): readonly WordedDanger[] {
  return FORMS.flatMap(({ form, level, means }) => {
    const found = form.exec(text);
    return found === null ? [] : [{ level, reason: `'${found[0].slice(0, 60)}' ${means}` }];
  });
}

/** The specification's patterns of names, such as `drop_*`. */
function namesIn(words: readonly string[]): readonly WordedDanger[] {
  return words
    .filter((word) => word.includes('_'))
    .flatMap((word) =>
      NAME_PATTERNS.filter(({ pattern }) => pattern.test(word)).map(({ shown, level }) => ({
        level,
        reason: `name matches '${shown}'`,
      })),
    );
}

/** Words that are verbs in the lexicon, and in a sentence about an action mostly nouns or say nothing of it. */
const PROSE = new Set('plan step steps report result results need goal order test call calling use using'.split(' '));

function verbsIn(words: readonly string[]): readonly WordedDanger[] {
  return words.flatMap((word) => {
    // Paths, addresses and names of files hold words that are no verbs.
    if (PROSE.has(word) || !/^[a-z]+(?:-[a-z]+)?$/.test(word)) return [];
    const verb = findVerb(word);
    if (verb === undefined || verb.nounness === 'mostly') return [];
    const { danger, phrase } = EFFECTS[verb.effect];
    return [{ level: STRONGER[verb.effect] ?? danger, reason: `'${word}' ${phrase}` }];
  });
}
