import { type Effect, setOfWords } from './lexicon.js';

/** Stands among the words of a tool that its author calls read-only. */
export const READ_ONLY = '(read-only)';
/** Stands among the words of a tool that takes nothing but numbers. */
export const NUMBERS = '(numbers)';
/** Stands among the words of a tool that is given an id. */
export const IDENTIFIED = '(id)';
/** Stands among the words of a tool that takes nothing at all. */
export const NO_INPUT = '(no input)';
/** Stands among the words of a tool that takes nothing but a text or data to work on, and neither a path nor an id. */
export const GIVEN = '(given)';

/** Beside these, "open" and "select" act on a user interface or a device, and do not read data. */
const ON_SCREEN: ReadonlySet<string> = setOfWords(
  `browser tab tabs page pages window windows app apps application simulator emulator editor device url session connection dialog modal
    element elements option options dropdown click checkbox ui cursor screen menu button context`,
);

/** Those whom a server reaches on its caller's behalf: what they are asked or told cannot be taken back. */
const PEOPLE: ReadonlySet<string> = setOfWords(
  `human humans user users person people team teams staff crew customer customers client clients guest guests patient patients parent
    parents owner owners manager managers operator operators technician technicians driver drivers worker workers employee employees
    colleague colleagues seller sellers buyer buyers player players passenger passengers reader readers audience visitor visitors sender supplier suppliers vendor vendors member members subscriber subscribers teacher teachers student students
    doctor doctors nurse nurses keeper landlord tenant tenants neighbor neighbour neighbors neighbours courier caretaker contractor
    contractors supervisor boss host hosts attendee attendees participant participants recipient recipients channel department office
    approval confirmation permission`,
);

/** Verbs that mean something else beside certain words. The first sense that fits replaces the verb's own effect. */
export const VERB_SENSES: readonly {
  readonly verb: string;
  readonly near: ReadonlySet<string>;
  /** Words beside which the sense does not fit. */
  readonly unless?: ReadonlySet<string>;
  /** Set where the tool must work on nothing but what it is given, and neither on a path nor an id. */
  readonly given?: true;
  readonly effect: Effect;
}[] = [
  {
    verb: 'generate',
    near: setOfWords(
      `chart charts diagram diagrams map maps graph plot histogram treemap spreadsheet summary preview schema snippet
        explanation embedding embeddings completion completions answer response uuid hash palette statistics insights suggestions qr
        sql regex regexp query queries xpath code instructions guidance prompt prompts ideas outline caption types slug`,
    ),
    effect: 'compute',
  },
  {
    verb: 'generate',
    near: setOfWords('password passwords passphrase'),
    unless: setOfWords('app user account application id reset'),
    effect: 'compute',
  },
  { verb: 'create', near: setOfWords('instructions guidance guidelines'), effect: 'compute' },
  {
    verb: 'create',
    near: setOfWords('query queries expression regex regexp xpath prompt snippet'),
    given: true,
    effect: 'compute',
  },
  {
    verb: 'answer',
    near: setOfWords('question questions query queries'),
    unless: new Set([IDENTIFIED]),
    effect: 'read',
  },
  {
    verb: 'expand',
    near: setOfWords(
      'query url urls link abbreviation acronym graph citation citations macro neighbors synonyms papers',
    ),
    effect: 'read',
  },
  { verb: 'solve', near: setOfWords('ticket tickets case cases issue issues incident'), effect: 'update' },
  { verb: 'check', near: setOfWords('checkbox checkboxes radio'), effect: 'interact' },
  {
    verb: 'capture',
    near: setOfWords('thought thoughts idea ideas task tasks memory decision decisions'),
    effect: 'create',
  },
  {
    verb: 'count',
    near: setOfWords('visit vote hit click impression'),
    unless: setOfWords('all total number many'),
    effect: 'update',
  },
  { verb: 'read', near: setOfWords('aloud loud'), effect: 'interact' },
  { verb: 'identify', near: setOfWords('traits'), effect: 'update' },
  { verb: 'learn', near: setOfWords('fact facts preference preferences'), effect: 'create' },
  { verb: 'observe', near: setOfWords('enter value'), effect: 'create' },
  {
    verb: 'drain',
    near: setOfWords('tank pit pool pond basin vat battery liquor liquid fluid water'),
    effect: 'purge',
  },
  { verb: 'interpret', near: setOfWords('code script program python javascript bytecode'), effect: 'run' },
  { verb: 'swap', near: setOfWords('compare'), effect: 'overwrite' },
  {
    verb: 'charge',
    near: setOfWords('battery phone robot vehicle ev furnace capacitor'),
    unless: setOfWords('card price fee cost'),
    effect: 'lifecycle',
  },
  { verb: 'raise', near: setOfWords('alarm alert concern'), effect: 'send' },
  { verb: 'recall', near: setOfWords('message email mail'), effect: 'end' },
  {
    verb: 'tell',
    near: new Set([GIVEN, ...setOfWords('whether if how which what when where why you me us it apart time')]),
    unless: PEOPLE,
    effect: 'read',
  },
  { verb: 'ping', near: setOfWords('user users channel team person member'), effect: 'send' },
  { verb: 'build', near: setOfWords('prompt query url expression'), effect: 'compute' },
  { verb: 'orchestrate', near: setOfWords('guidance instructions'), effect: 'compute' },
  { verb: 'turn', near: setOfWords('question sql query regex'), effect: 'compute' },
  {
    verb: 'select',
    near: new Set([READ_ONLY, ...setOfWords('row rows record records column columns')]),
    unless: ON_SCREEN,
    effect: 'read',
  },
  ...['add', 'subtract', 'multiply', 'divide'].map((verb) => ({
    verb,
    near: new Set([NUMBERS, ...(verb === 'add' ? [] : ['number', 'numbers', 'minuend', 'dividend', 'factor'])]),
    effect: 'compute' as const,
  })),
  ...['convert', 'simplify', 'randomize', 'transform'].map((verb) => ({
    verb,
    near: setOfWords('mesh meshes vertex vertices layer layers clip'),
    unless: setOfWords('wgs84 crs'),
    effect: 'update' as const,
  })),
  {
    verb: 'put',
    near: setOfWords('into on in onto'),
    unless: setOfWords('object objects file files bucket item record key value document blob'),
    effect: 'add',
  },
  {
    verb: 'attach',
    near: setOfWords('file files document documents image images photo screenshot note comment attachment attachments'),
    effect: 'add',
  },
  {
    verb: 'evaluate',
    near: setOfWords(
      'flag flags condition conditions policy policies rule rules expression quality answer answers response',
    ),
    unless: setOfWords('script javascript js browser page code'),
    effect: 'compute',
  },
  {
    verb: 'rebuild',
    near: setOfWords('index indexes cache site website search project commit build graph'),
    unless: setOfWords('server vm instance machine'),
    effect: 'lifecycle',
  },
  { verb: 'kill', near: setOfWords('process processes character pid'), effect: 'end' },
  {
    verb: 'rotate',
    near: setOfWords('page pages image images picture photo screen video object layer'),
    effect: 'update',
  },
  { verb: 'fill', near: setOfWords('template templates placeholder placeholders'), effect: 'compute' },
  { verb: 'rate', near: setOfWords('against rubric criteria'), effect: 'compute' },
  { verb: 'sign', near: setOfWords('key wallet payload hash digest'), unless: setOfWords('in up out'), effect: 'run' },
  {
    verb: 'propose',
    near: setOfWords(
      'change changes edit edits merge patch meeting time amendment pull request motion vote transaction',
    ),
    effect: 'create',
  },
  {
    verb: 'propose',
    near: setOfWords('candidates pairs options ideas names titles alternatives possible values'),
    effect: 'compute',
  },
  {
    verb: 'draft',
    near: setOfWords('reply answer response text clause letter outline'),
    unless: setOfWords('mailbox inbox folder drafts save saves saved store draft_id'),
    given: true,
    effect: 'compute',
  },
  { verb: 'revert', near: setOfWords('version versions revision'), effect: 'reset' },
  { verb: 'unread', near: new Set([NO_INPUT]), effect: 'read' },
  {
    verb: 'resolve',
    near: setOfWords(
      'issue thread conflict comment alert incident ticket discussion finding alarm bug dispute task todo',
    ),
    effect: 'update',
  },
  {
    verb: 'resolve',
    near: setOfWords(
      `id ids identifier name names library package address host hostname dns domain path url uri ref reference symbol
        option options alias coordinates location dependency dependencies`,
    ),
    effect: 'read',
  },
  {
    verb: 'generate',
    near: setOfWords('image images video videos audio speech music voice'),
    effect: 'run',
  },
  {
    verb: 'clear',
    near: setOfWords('setting selection focus highlight highlights override overrides emulation mock'),
    effect: 'update',
  },
  { verb: 'drop', near: setOfWords('onto element drag cursor mouse'), effect: 'interact' },
  {
    verb: 'close',
    near: setOfWords('browser tab page window connection session app application dialog modal stream'),
    effect: 'lifecycle',
  },
  {
    verb: 'close',
    near: setOfWords('issue ticket pull request milestone deal case account epic position'),
    effect: 'update',
  },
  { verb: 'open', near: setOfWords('issue ticket pull request dispute case'), effect: 'create' },
  { verb: 'post', near: setOfWords('message messages tweet tweets chat channel status notification'), effect: 'send' },
  { verb: 'push', near: setOfWords('git remote'), effect: 'publish' },
  { verb: 'push', near: setOfWords('notification notifications message messages sms'), effect: 'send' },
  {
    verb: 'cancel',
    near: setOfWords(
      'order subscription booking reservation appointment meeting event renewal payment invoice service account plan domain membership ticket lesson flight trip ride visit rental lease contract delivery shipment hearing viewing fitting viewing cita turno reserva termin',
    ),
    effect: 'end',
  },
  { verb: 'capture', near: setOfWords('payment charge order authorization funds intent'), effect: 'pay' },
  { verb: 'book', near: setOfWords('flight hotel appointment reservation table ticket trip ride'), effect: 'pay' },
  { verb: 'transfer', near: setOfWords('funds money balance payment payout tokens coins'), effect: 'pay' },
  { verb: 'apply', near: setOfWords('migration migrations manifest plan'), effect: 'lifecycle' },
  { verb: 'fill', near: setOfWords('form forms input inputs textbox element elements'), effect: 'interact' },
  { verb: 'handle', near: setOfWords('dialog alert prompt popup'), effect: 'interact' },
  { verb: 'produce', near: setOfWords('message messages event topic record'), effect: 'send' },
  {
    verb: 'evaluate',
    near: setOfWords('mathematical math arithmetic formula calculate calculates'),
    effect: 'compute',
  },
  { verb: 'sign', near: setOfWords('transaction transactions'), effect: 'pay' },
  { verb: 'withdraw', near: setOfWords('funds balance coins crypto cash'), effect: 'pay' },
  { verb: 'swap', near: setOfWords('token tokens coin coins currency'), effect: 'pay' },
  { verb: 'renew', near: setOfWords('subscription domain plan license membership'), effect: 'pay' },
  { verb: 'checkout', near: setOfWords('cart basket payment'), effect: 'pay' },
  { verb: 'collect', near: setOfWords('payment payments'), effect: 'pay' },
  { verb: 'place', near: setOfWords('order orders bid bet trade'), effect: 'pay' },
  {
    verb: 'terminate',
    near: setOfWords(
      'instance instances vm vms server servers cluster machine account employee employment contract lease agreement',
    ),
    effect: 'end',
  },
  { verb: 'move', near: setOfWords('balance funds money'), unless: setOfWords('mouse'), effect: 'pay' },
  { verb: 'merge', near: setOfWords('cell cells range ranges'), effect: 'overwrite' },
  {
    verb: 'merge',
    near: setOfWords(
      'contact contacts record records company companies customer customers duplicate duplicates person people',
    ),
    effect: 'rebuild',
  },
  {
    verb: 'merge',
    near: setOfWords('pull request requests branch branches fork pr mr main upstream revision'),
    effect: 'publish',
  },
  {
    verb: 'open',
    near: new Set([
      READ_ONLY,
      ...setOfWords('node nodes record records entity entities row rows note notes entry entries details'),
    ]),
    unless: ON_SCREEN,
    effect: 'read',
  },
  { verb: 'provide', near: setOfWords('feedback rating'), effect: 'send' },
  { verb: 'set', near: setOfWords('reaction reactions'), effect: 'add' },
  { verb: 'upload', near: setOfWords('browser chooser'), effect: 'interact' },
  { verb: 'list', near: setOfWords('sale marketplace'), effect: 'create' },
  { verb: 'show', near: setOfWords('notification dialog toast popup'), effect: 'interact' },
  { verb: 'make', near: setOfWords('payment payments purchase'), effect: 'pay' },
  { verb: 'display', near: setOfWords('alert notification dialog toast popup'), effect: 'interact' },
  { verb: 'capture', near: setOfWords('event events lead leads exception'), effect: 'create' },
  {
    verb: 'watch',
    near: setOfWords(
      'log logs pod pods build deployment rollout run runs job jobs progress execution stream video status output',
    ),
    effect: 'read',
  },
  {
    verb: 'convert',
    near: setOfWords(
      `lead leads draft issue task prospect opportunity position positions order orders account quote subscription trial deal user
        member ticket booking`,
    ),
    effect: 'update',
  },
  { verb: 'patch', near: setOfWords('byte bytes memory binary instruction instructions'), effect: 'overwrite' },
  { verb: 'shuffle', near: setOfWords('copy list items cards deck array'), effect: 'compute' },
  { verb: 'solve', near: setOfWords('captcha challenge'), effect: 'interact' },
  { verb: 'convert', near: setOfWords('file files video pdf audio folder'), effect: 'create' },
  { verb: 'simulate', near: setOfWords('click touch tap key keyboard keypress gesture swipe'), effect: 'interact' },
  { verb: 'export', near: setOfWords('bucket drive repository warehouse disk'), effect: 'create' },
  { verb: 'download', near: setOfWords('local locally disk folder directory'), effect: 'create' },
  {
    verb: 'track',
    near: setOfWords('changes progress maintenance status shipment package flight delivery'),
    effect: 'read',
  },
  { verb: 'report', near: setOfWords('status statistics progress whether summary metrics'), effect: 'read' },
  { verb: 'record', near: setOfWords('video screen audio macro'), effect: 'lifecycle' },
  { verb: 'snapshot', near: setOfWords('accessibility page dom browser screen ui'), effect: 'read' },
  { verb: 'extract', near: setOfWords('archive zip tarball tar unzip'), effect: 'create' },
  { verb: 'restore', near: setOfWords('backup backups snapshot snapshots database'), effect: 'rebuild' },
  { verb: 'format', near: setOfWords('disk drive volume partition'), effect: 'purge' },
  { verb: 'format', near: setOfWords('cell cells range paragraph file files document'), effect: 'update' },
  {
    verb: 'format',
    near: setOfWords('table tables slide slides sheet sheets column columns row rows heading headings'),
    unless: new Set([GIVEN]),
    effect: 'update',
  },
  { verb: 'show', near: setOfWords('unhide unhides'), effect: 'update' },
  { verb: 'sort', near: setOfWords('range rows sheet table in-place column'), effect: 'update' },
  { verb: 'group', near: setOfWords('nodes layers shapes elements'), effect: 'update' },
  { verb: 'draw', near: setOfWords('chart graph plot diagram histogram'), effect: 'compute' },
  { verb: 'transform', near: setOfWords('node layer shape object'), effect: 'update' },
  { verb: 'embed', near: setOfWords('store index upsert'), effect: 'create' },
  { verb: 'verify', near: setOfWords('code otp challenge phone payment ownership'), effect: 'lifecycle' },
  { verb: 'ask', near: PEOPLE, effect: 'send' },
  { verb: 'wake', near: setOfWords('device machine'), effect: 'lifecycle' },
  { verb: 'map', near: setOfWords('field fields column columns'), effect: 'update' },
  { verb: 'leave', near: setOfWords('comment review note'), effect: 'create' },
  { verb: 'write', near: setOfWords('issue request item items comment review'), effect: 'update' },
];
