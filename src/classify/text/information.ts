import { findVerb } from '../words/find-verb.js';
import { writeShare } from '../words/lexicon.js';
import { isMeasure, MEASURES } from '../words/measures.js';
import { mayBeAnyVerb } from '../words/other-verbs.js';
import { isDone } from '../words/participles.js';
import { findBareThing, findThing, isAdjective, isPlural, MADE_NEW } from './noun-phrase.js';
import { isFirstOfNouns, readStart } from './sentence-start.js';

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
    velocity acceleration frequency latency throughput bandwidth mileage tonnage footage acreage wattage voltage amperage resistance
    density salinity turbidity acidity alkalinity moisture precipitation rainfall snowfall snow ice fog visibility altitude bearing
    azimuth gradient slope inclination declination magnitude amplitude phase wavelength spectrum spectra luminosity brightness
    turnout attendance headcount footfall birthrate mortality prevalence incidence dosage lifespan longevity
    turnover throughput backlog workload overtime wages payroll pension bonuses allowance allowances subsidy subsidies tariff tariffs toll tolls
    fare fares rent rents fee fees surcharge surcharges discount discounts margin margins markup debt debts liability liabilities asset assets
    premium premiums deductible coverage claims royalty royalties quota quotas allotment allotments ration rations limit limits threshold thresholds
    curve curves contour contours chart charts gauge gauges meter meters probe probes isotherm isobar
    ancestry lineage pedigree descendants ancestors siblings spouse relatives heirs genealogy
    anatomy physiology pathology prognosis diagnosis diagnoses symptom allergy allergies medication medications dose doses
    vaccinations immunizations prescription prescriptions biopsy biopsies sample samples specimen specimens culture cultures
    plaintiffs defendants counsel verdict verdicts ruling rulings precedent precedents clause clauses article provision provisions
    synopsis plot cast crew credits trailer trailers runtime showtimes setlist repertoire discography filmography bibliography
    etiquette dress dialect idiom idioms proverb proverbs rhyme rhymes meaning meanings pronunciation origin origins etymologies
    ingredients allergens calories vitamins minerals protein carbs fat sugar sugars fibre fiber alcohol vintage vintages pairings
    habitat habitats diet lifespan range behavior behaviour predators prey migration population populations census demographics
    geology soil strata fault faults eruption eruptions tremor tremors aftershock aftershocks epicentre epicenter
    itinerary itineraries layover layovers gate gates platform platforms terminal terminals carriage carriages seatmap legroom
    delay delays detour detours roadworks closures obstruction obstructions bottleneck bottlenecks congestion
    vacancies openings berths moorings pitches bays slots courts lanes lockers desks rooms suites beds
    winner winners loser losers runner-up finalists contestants competitors opponents rankings seedings brackets draw draws heat heats laps splits
    knots fathoms nautical bearings waypoints waypoint landmark landmarks milestone milestones checkpoint checkpoints
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
 * @param sentence in lower case, without openers
 * @param named words of the tool's name; "comments" of `issue_comments` is no verb in "Comments on an issue"
 */
export function findInformation(sentence: readonly string[], named: ReadonlySet<string>): string | undefined {
  const adjunct = sentence.findIndex((token, index) => isAdjunct(token, sentence[index + 1]));
  const tokens = adjunct > 0 ? sentence.slice(0, adjunct) : sentence;
  if (
    tokens.some((token, index) => token === 'now' && tokens[index + 1] === 'on') ||
    isCaused(tokens) ||
    isTold(tokens) ||
    isDone(tokens)
  )
    return undefined;
  return (
    findMeasure(tokens) ??
    findListed(tokens, named) ??
    findThing(tokens) ??
    findBareThing(tokens, named, namesOne) ??
    findRange(tokens) ??
    (isFirstOfNouns(tokens, 0) ? tokens[0] : undefined)
  );
}

/** "Soak time and cooling rate for a thickness", "Fire danger level and how it was derived", "Peak particle velocity allowed here". */
export function findMeasure(tokens: readonly string[]): string | undefined {
  const end = tokens.findIndex(
    (token, index) =>
      ENDS.test(token) || LINKS.test(token) || (index > 0 && token.endsWith('ed') && isAdjective(token)),
  );
  const phrase = tokens.slice(0, end < 0 ? tokens.length : end);
  const next = tokens[end];
  const ended = next === undefined || !/^(?:to|is|are|was|were|has|have|[;:])$/.test(next);
  return ended && isMeasure(phrase) ? phrase.at(-1) : undefined;
}

/** "Gives the tide times at a port", but neither "Gives a boat a berth" nor "Gives the keys to the owner". */
export function findGiven([first = '', article = '', ...rest]: readonly string[]): string | undefined {
  if (!/^(?:gives?|covers?)$/.test(first) || !/^(?:an?|the|all|current|full|basic|detailed|latest)$/.test(article))
    return undefined;
  const end = rest.findIndex((token) => ENDS.test(token));
  const phrase = rest.slice(0, end < 0 ? rest.length : end);
  const head = phrase.at(-1) ?? '';
  const single =
    phrase.length > 0 &&
    phrase.length <= MOST_WORDS &&
    !phrase.some((word) => DETERMINING.test(word) || isAdverb(word));
  const kept = rest[end] !== 'to' && !rest.includes('away');
  return single && kept && namesOne(head) && !mayBeVerb(head) ? head : undefined;
}

const DETERMINING =
  /^(?:an?|the|its|his|her|their|your|my|some|any|each|every|up|in|out|back|off|on|me|you|him|them|us)$/;
const isAdverb = (word: string): boolean => word.endsWith('ly');

/** "From family down to variety", "Within a drinking window": no verb begins so, and none is known in the rest. */
function findRange(tokens: readonly string[]): string | undefined {
  const [first = '', ...rest] = tokens;
  const acts = rest.some((token) => {
    const verb = findVerb(token);
    return (
      QUESTIONS.has(token) || ENDS_RANGE.test(token) || (verb?.nounness === 'never' && writeShare(verb.effect) > 0)
    );
  });
  // "In nautical miles".
  if (first === 'in' && rest.length < 4 && MEASURES.has(rest.at(-1) ?? '') && !acts) return first;
  return /^(?:from|within|between|under|above|below|along|around|during|since)$/.test(first) && rest.length > 1 && !acts
    ? first
    : undefined;
}

const ENDS_RANGE = /^(?:[,:;]|on|is|are|was|were|be|has|have|will|gets?|goes|[a-z]+ed)$/;

/** "Has a car towed" makes it happen. */
const isCaused = ([first = '', second = '', ...rest]: readonly string[]): boolean =>
  /^(?:has|have)$/.test(first) && /^(?:an?|the|all)$/.test(second) && isAdjective(rest.at(-1) ?? '');

/** "Downloads, split by app", "Medicines aboard and when they expire": how, or what else, it is shown. */
const isAdjunct = (token: string, next = ''): boolean =>
  (token === ',' && ADJUNCTS.has(next)) || (/^(?:and|or)$/.test(token) && QUESTIONS.has(next));

/** Behind a comma they say in which order or by what something is shown: "Downloads, split by app". */
const ADJUNCTS: ReadonlySet<string> = new Set(
  words(
    'split grouped sorted ordered listed newest oldest latest earliest first last best worst by per row day key including incl if',
  ),
);

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
const TELLING =
  /^(?:for|from|in|at|about|between|by|within|against|over|along|above|below|under|per|near|across|until|since)$/;
const MOST_WORDS = 8;

/** Nouns for a quality, which is measured or known: "conductivity", "hardness", "frequency". */
const QUALITY =
  /^(?!entity|facility|activity|celebrity|identity|quantity$)\w{3,}(?:ivity|ility|idity|osity|ocity|acity|arity|inity|ness|ancy|ency)$/;

/**
 * "Actions for tickets", "Everything about managing invoices", "Commands of the harbour": nouns for what is done, or for what does it, say
 * nothing of what that is.
 */
export function namesActing(text: string): boolean {
  return WAYS_OF_ACTING.test(text) || FOR_MANAGING.test(text);
}

const FOR_MANAGING = /\b(?:for|about) (?:managing|administering|handling|operating|controlling)\b/i;
const WAYS_OF_ACTING =
  /^(?:[a-z-]+ ){0,3}(?:commands?|actions?|tools?|operations?|procedures?|methods?|functions?|tasks?|skills?|services?|handlers?|macros?|scripts?|workflows?|jobs?|utilit(?:y|ies)|routers?) (?:for|to|on)\b/i;

/** Whether a noun, or its singular, names information. */
function namesOne(word: string): boolean {
  if (INFORMATION.has(word) || QUALITY.test(word)) return true;
  return word.endsWith('s') && (INFORMATION.has(word.slice(0, -1)) || INFORMATION.has(`${word.slice(0, -3)}y`));
}

function isModifier(word: string): boolean {
  return MODIFIERS.has(word) || namesOne(word) || NO_VERB.test(word) || isAdjective(word);
}
