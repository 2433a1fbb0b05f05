import { findVerb } from './find-verb.js';
import { writeShare } from './lexicon.js';
import { findBareThing, findThing, isAdjective, isPlural, MADE_NEW } from './noun-phrase.js';
import { mayBeAnyVerb } from './other-verbs.js';
import { readStart } from './sentence-start.js';

const words = (text: string): readonly string[] => text.trim().split(/\s+/);

/** Last words of names that say that a result is returned, whatever stands before: `pg_info`, `run_report`. */
const RESULTS: ReadonlySet<string> = new Set(
  words(`
    info information details detail status stats statistics summary history logs docs documentation tree schema metrics
    version versions help count overview list report reports usage diff diffs directions elevation distance analytics
    matrix screenshot weather forecast quote quotes price prices trends results catalog capabilities changelog insights
    reference guide instructions definition definitions examples activity timeline health ranking leaderboard reflog
    isochrone search geocode profile locks outliers
  `),
);

/**
 * Nouns for information, in the singular or as they are mostly written. A tool whose name or sentence has no verb and ends in
 * one of these answers with it: `pg_info`, `directory_tree`, "Current weather in a city". Nouns that also name something that
 * acts or is made (message, script, session, payment) are not here.
 */
const INFORMATION: ReadonlySet<string> = new Set(
  words(`
    info information data detail details metadata stats statistics statistic summary overview status state history log logs docs
    documentation tree schema metrics metric version versions help count counts number total list report reports usage diff diffs
    difference analytics direction directions elevation distance matrix screenshot weather forecast quote price trend trends
    result results catalog catalogue capability capabilities changelog insight insights reference guide guidance guideline instruction instructions
    definition examples example activity timeline health ranking rankings leaderboard reflog isochrone search geocode profile locks outliers
    name names size length value values temperature humidity wind climate pressure quality index indices balance balances rate rates yield
    holdings position positions portfolio earnings revenue financials income dividends fundamentals candle candles ohlcv orderbook ticker tickers
    volume cost costs spend calendar date dates time times timestamp timezone day days week weeks month months year years hour hours minutes
    age duration schedule schedules timetable departure departures arrival arrivals availability coordinates coordinate latitude longitude address addresses
    city cities country countries region regions state states place places location locations restaurants hotels flights route routes traffic
    record records row rows column columns field fields table tables item items element elements
    page pages content contents text transcript transcripts subtitle subtitles caption captions lyrics chapter chapters abstract
    article articles paper papers citation citations author authors book books publication publications patent patents
    headline headlines news topic topics hashtag hashtags keyword keywords synonyms antonyms etymology word phrase
    picture pictures thumbnail photo photos snapshot video videos movie movies song songs track tracks artist artists album albums
    answer fact facts joke idea ideas advice suggestion suggestions recommendation recommendations explanation analysis comparison similarity
    score scores rating ratings reviews sentiment language languages category categories tag tags label labels type types kind kinds
    user users member members people person team teams owner owners contact contacts follower followers friends customers employees
    file files folder folders directory directories path paths attachment attachments image images
    url urls link links domain domains host hosts hostname ip dns certificate certificates headers cookie cookies whois
    process processes memory cpu disk battery uptime load hardware sensor sensors device devices port ports
    symbol symbols function functions class classes method methods module modules package packages dependency dependencies import imports reference
    references callers callees hierarchy ast tokens token syntax signature
    commit commits branch branches issue issues ticket tickets comment comments pulls repository repositories projects project
    event events alert alerts incident incidents trace traces span spans error errors warning warnings exception exceptions problem problems
    message messages thread threads channel channels conversation conversations email emails mailbox inbox
    order orders product products invoice invoices transaction transactions trade trades offer offers option options deal deals
    chain constant constants hash checksum digest uuid color colors palette font fonts icon icons currency currencies unit units
    coverage complexity benchmark vulnerability vulnerabilities cve license licenses permission permissions role roles policy policies
    gene genes protein proteins variant variants expression mutation mutations compound compounds drug drugs trial trials disease diseases symptom symptoms
    ingredients recipe recipes nutrition calories meal menu exercise exercises
    root determinant inverse transpose rank eigenvalues eigenvectors mean median mode variance deviation sum product quotient remainder percentage average
    min max minimum maximum sunrise sunset moon phase tide tides
    area perimeter circumference radius angle ratio probability distribution percentile correlation factorial logarithm sqrt modulo exponent modulus sine cosine tangent
    match matches standings fixtures lineup roster odds episode episodes season seasons series genre genres playlist playlists
    job jobs salary vacancy course courses lesson grade grades definition glossary
    environment variables variable setting settings configuration config preferences parameter parameters template templates
    namespace namespaces pod pods node nodes cluster clusters container containers service services deployments instance instances bucket buckets
    queue queues topic database databases collection collections stream streams metric dashboard dashboards
    candidates cases case holidays holiday observations species quakes earthquake earthquakes asteroid asteroids satellite satellites orbit
    rule rules standard standards pattern patterns practice practices specification spec specs scope scopes schemas catalog backlinks
    airport airports airline airlines station stations code codes nutrient charity charities lecture lectures answer trains ships vessels
    grants tenders laws statutes filings holdings shares dividend volatility greeks sectors industries constituents
    xref xrefs slot slots callgraph barcode shipment shipments parcel standing holding seat seats menu menus
    breakdown agenda inventory stock spending burn bars traits feed feeds listing listings today tomorrow yesterday mode
    share shares depth depths height heights width level levels chance chances likelihood risk risks occupancy capacity reading readings findings
    outline toc heading headings section sections paragraph paragraphs line lines character characters
  `),
);

/** Adjectives and nouns that stand before a noun; none of them is a verb of its own, whatever follows. */
const MODIFIERS: ReadonlySet<string> = new Set(
  words(`
    a an the all any every historical nearby available trending every each some this these those its their your our new own
    current latest recent last next previous past upcoming historical real-time realtime live daily weekly monthly yearly annual hourly
    full complete detailed basic general common popular trending hot top best random available free busy public private local global national
    international total average minimum maximum raw plain formatted short long brief quick related similar nearby nearest possible known
    active open closed pending unread archived deleted recommended official additional specific single multiple several many few different other
    static dynamic simple advanced comprehensive unique unified structured
    stock market crypto company financial economic account bank bitcoin token share fund bond forex gold commodity
    weather air water solar lunar marine ocean moon sun tidal astronomical space
    system disk memory cpu network server host process user team project repository git file directory folder page web website site
    video audio music song image camera screen browser console device sensor battery hardware
    product order invoice customer sales shipping delivery flight train bus hotel restaurant movie tv sports football basketball game player
    geographic geographical street postal ip dns ssl tls http api sql json xml csv pdf html url
    code source syntax type class function test build release version package dependency security vulnerability
    paper article book news research scientific academic medical clinical drug gene protein chemical food nutrition recipe
    population census government legal tax health exchange interest inflation unemployment mortgage currency
    key main major primary important technical statistical numeric numerical mathematical summary
    first second third two three pairwise list-like square cube natural absolute standard
    column row table database schema cluster pod container service kubernetes postgres windows jenkins aws macos ios
    calendar event holiday time date timezone meeting
    word sentence text language document form child parent sibling
  `),
);

/** What a sentence that names information may begin with: no verb can stand there. */
const QUESTIONS: ReadonlySet<string> = new Set(words('who whom whose which whether how where when why what'));

/** Beginnings of a question or of what is shown, before a subject: "Is it running?", "Everything that I have not read". */
const ASKING: ReadonlySet<string> = new Set(words('is are was were am has have do does did everything'));
const SUBJECTS: ReadonlySet<string> = new Set(
  words('it this that these those the a an there my your any all i we you anybody anyone anything which'),
);

const ARTICLES = /^(?:an?|the|this|your)$/;
const WHOLES =
  /^(?:all|both|half|such|everything|is|are|was|were|am|has|have|do|does|did|of|in|from|for|at|on|by|within|between|behind)$/;

/** "Everything on the card of an animal". */
const ABOUT = /^(?:on|about|of|in|from|known|for)$/;

/** Endings of nouns and adjectives that verbs of an instruction hardly have. */
const NO_VERB = /(?:ical|ional|ness|ity|ship|logy|ics|graphic|ous|ary|ory)$/;
/** What ends the part of a sentence that names a thing. */
const ENDS =
  /^(?:of|for|from|in|on|with|by|per|at|against|over|to|into|between|near|about|within|across|around|under|behind|after|before|since|until|that|which|who|whose|when|where|if|as|via|using|based|including|is|are|was|were|[:;])$/;

export const isQuestion = (word: string): boolean => QUESTIONS.has(word);

export const isResult = (word: string): boolean => RESULTS.has(word);

/** Whether a name without a verb names information: `stock_price`, `dns_records`, but neither `frob_records` nor `shell`. */
export function namesInformation(name: readonly string[]): boolean {
  const [first = ''] = name;
  return namesOne(name.at(-1) ?? '') && (name.length === 1 || isModifier(first) || !mayBeAnyVerb(first));
}

/**
 * The noun for information that a sentence names in place of a verb: "Current weather in a city", "Whether a file exists".
 * Undefined where any word before it might be a verb that is not known: what is not understood stays a doubt.
 * @param tokens the sentence in lower case, without openers
 * @param named words of the tool's name; "comments" of `issue_comments` is no verb in "Comments on an issue"
 */
export function findInformation(tokens: readonly string[], named: ReadonlySet<string>): string | undefined {
  if (
    tokens.some((token, index) => token === 'now' && tokens[index + 1] === 'on') ||
    isCaused(tokens) ||
    isTold(tokens)
  )
    return undefined;
  return findListed(tokens, named) ?? findThing(tokens) ?? findBareThing(tokens, named, namesOne);
}

/** "Has a car towed" makes it happen. */
const isCaused = ([first = '', second = '', ...rest]: readonly string[]): boolean =>
  /^(?:has|have)$/.test(first) && /^(?:an?|the|all)$/.test(second) && isAdjective(rest.at(-1) ?? '');

/** "Someone looks after it", "One more view", "Price, held for a day": somebody acts, something is added or kept. */
function isTold([first = '', second = '', ...rest]: readonly string[]): boolean {
  if (PRONOUNS.has(first) || /^(?:more|further|extra|additional)$/.test(/^(?:one|an?|some)$/.test(first) ? second : ''))
    return true;
  return [second, ...rest].some((token, index) => token === ',' && KEPT.has(rest[index] ?? ''));
}

const PRONOUNS: ReadonlySet<string> = new Set(words('someone somebody nobody everyone everybody i we he she'));
/** Behind a comma they say what is done with the thing that was named. */
const KEPT: ReadonlySet<string> = new Set(
  words(
    'held reserved booked blocked locked posted charged billed paid sent mailed published stored saved kept delivered printed',
  ),
);

function findListed(tokens: readonly string[], named: ReadonlySet<string>): string | undefined {
  const [first = '', second = ''] = tokens;
  if (QUESTIONS.has(first) || (ASKING.has(first) && SUBJECTS.has(tokens[1] ?? ''))) return first;
  // "File a report": what has an object behind it is done.
  if (ARTICLES.test(second) && !WHOLES.test(first)) return undefined;
  if (first === 'everything' && ABOUT.test(tokens[1] ?? '')) return first;
  // "Use this tool for any security questions": it answers them.
  if (tokens.length <= MOST_WORDS && tokens.length > 1 && tokens.at(-1) === 'questions' && isModifier(first))
    return 'questions';
  const end = tokens.findIndex((token) => ENDS.test(token));
  // Of several coordinated nouns the last decides: "insight and user management" is no insight.
  const phrase = tokens.slice(0, end < 0 ? tokens.length : end).filter((token) => !LINKS.test(token));
  const head = phrase.at(-1);
  if (head === undefined || phrase.length > MOST_WORDS || !namesOne(head)) return undefined;
  const before = phrase.slice(0, -1);
  const [lead] = before;
  // A bare noun: only what follows it as "of" or "for" does, or the tool's name, tells it from a verb.
  if (lead === undefined) {
    if (tokens[end] === 'of') return head;
    const tells = tokens.length === 1 || named.has(head) || TELLING.test(tokens[end] ?? '');
    return tells && !mayBeVerb(head) ? head : undefined;
  }
  // "A new order" may be one that is made.
  if (phrase.some((word) => word !== 'own' && MADE_NEW.has(word))) return undefined;
  // "Issues free tickets" is done, although issues are information.
  if (
    isPlural(lead) &&
    !MODIFIERS.has(lead) &&
    (readStart(tokens) === 'verb' || (!isModifier(lead) && !/[ao]s$/.test(lead)))
  )
    return undefined;
  const modifies = isModifier(lead) || !(mayBeAnyVerb(lead) || named.has(lead));
  return modifies && !mayBeVerb(lead) ? head : undefined;
}

/** "Record video" and "Order status" may be instructions. */
function mayBeVerb(word: string): boolean {
  const verb = findVerb(word);
  return verb !== undefined && verb.form === 'base' && writeShare(verb.effect) > 0 && !DETERMINERS.has(word);
}

const DETERMINERS: ReadonlySet<string> = new Set(words('open closed'));

/** What joins nouns, and figures. */
const LINKS = /^(?:and|or|[,/&]|\d.*)$/;
/** Behind a single noun they say, as "of" does, whose or what it is; "to" and "on" may follow a verb. */
const TELLING = /^(?:for|from|in|at|about|between|by|within)$/;
const MOST_WORDS = 8;

/** Nouns for a quality, which is measured or known: "conductivity", "hardness", "frequency". */
const QUALITY =
  /^(?!entity|facility|activity|celebrity|identity|quantity$)\w{3,}(?:ivity|ility|idity|osity|acity|arity|ness|ancy|ency)$/;

/** Whether a noun, or its singular, names information. */
function namesOne(word: string): boolean {
  if (INFORMATION.has(word) || QUALITY.test(word)) return true;
  return word.endsWith('s') && (INFORMATION.has(word.slice(0, -1)) || INFORMATION.has(`${word.slice(0, -3)}y`));
}

function isModifier(word: string): boolean {
  return MODIFIERS.has(word) || namesOne(word) || NO_VERB.test(word) || isAdjective(word);
}
