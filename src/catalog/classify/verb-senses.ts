import type { Effect } from './effects.js';

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Where a verb means something else beside certain words. The first sense that fits wins over the verb's own effect. */
export const VERB_SENSES: readonly {
  readonly verb: string;
  readonly near: ReadonlySet<string>;
  readonly effect: Effect;
}[] = [
  {
    verb: 'generate',
    near: words(
      `chart charts diagram diagrams map maps graph plot histogram treemap spreadsheet summary preview schema snippet
        explanation embedding embeddings completion completions answer response uuid hash palette statistics insights suggestions qr`,
    ),
    effect: 'compute',
  },
  {
    verb: 'resolve',
    near: words('issue thread conflict comment alert incident ticket discussion finding alarm bug dispute task todo'),
    effect: 'update',
  },
  {
    verb: 'resolve',
    near: words(
      `id ids identifier name names library package address host hostname dns domain path url uri ref reference symbol
        option options alias coordinates location dependency dependencies`,
    ),
    effect: 'read',
  },
  {
    verb: 'generate',
    near: words('image images video videos audio speech music voice'),
    effect: 'run',
  },
  { verb: 'drop', near: words('onto element drag cursor mouse'), effect: 'interact' },
  {
    verb: 'close',
    near: words('browser tab page window connection session app application dialog modal stream'),
    effect: 'lifecycle',
  },
  {
    verb: 'close',
    near: words('issue ticket pull request milestone deal case account epic position'),
    effect: 'update',
  },
  { verb: 'open', near: words('issue ticket pull request dispute case'), effect: 'create' },
  { verb: 'post', near: words('message messages tweet tweets chat channel status notification'), effect: 'send' },
  { verb: 'push', near: words('notification notifications message messages sms'), effect: 'send' },
  {
    verb: 'cancel',
    near: words(
      'order subscription booking reservation appointment renewal payment invoice service account plan domain membership ticket',
    ),
    effect: 'end',
  },
  { verb: 'capture', near: words('payment charge order authorization funds intent'), effect: 'pay' },
  { verb: 'book', near: words('flight hotel appointment reservation table ticket trip ride'), effect: 'pay' },
  { verb: 'transfer', near: words('funds money balance payment payout tokens coins'), effect: 'pay' },
  { verb: 'apply', near: words('migration migrations manifest plan'), effect: 'lifecycle' },
  { verb: 'fill', near: words('form forms input inputs textbox element elements'), effect: 'interact' },
  { verb: 'handle', near: words('dialog alert prompt popup'), effect: 'interact' },
  { verb: 'produce', near: words('message messages event topic record'), effect: 'send' },
  { verb: 'evaluate', near: words('mathematical math arithmetic formula'), effect: 'compute' },
  { verb: 'sign', near: words('transaction transactions'), effect: 'pay' },
  { verb: 'withdraw', near: words('funds balance coins crypto cash'), effect: 'pay' },
  { verb: 'swap', near: words('token tokens coin coins currency'), effect: 'pay' },
  { verb: 'renew', near: words('subscription domain plan license membership'), effect: 'pay' },
  { verb: 'checkout', near: words('cart basket payment'), effect: 'pay' },
  { verb: 'collect', near: words('payment payments'), effect: 'pay' },
  { verb: 'place', near: words('order orders bid bet trade'), effect: 'pay' },
  { verb: 'terminate', near: words('instance instances vm vms server servers cluster machine account'), effect: 'end' },
  {
    verb: 'merge',
    near: words(
      'contact contacts record records company companies customer customers duplicate duplicates person people',
    ),
    effect: 'rebuild',
  },
  { verb: 'provide', near: words('feedback rating'), effect: 'send' },
  { verb: 'show', near: words('notification dialog toast popup'), effect: 'interact' },
  { verb: 'make', near: words('payment payments purchase'), effect: 'pay' },
  { verb: 'display', near: words('alert notification dialog toast popup'), effect: 'interact' },
  { verb: 'capture', near: words('event events lead leads exception'), effect: 'create' },
  { verb: 'watch', near: words('repository repo issue thread ticket'), effect: 'update' },
  { verb: 'convert', near: words('lead leads draft issue task prospect opportunity'), effect: 'update' },
  { verb: 'convert', near: words('file files video pdf audio folder'), effect: 'create' },
  { verb: 'simulate', near: words('click touch tap key keyboard keypress gesture swipe'), effect: 'interact' },
  { verb: 'export', near: words('bucket drive repository warehouse disk'), effect: 'create' },
  { verb: 'download', near: words('local locally disk folder directory'), effect: 'create' },
  {
    verb: 'track',
    near: words('changes progress maintenance status shipment package flight delivery'),
    effect: 'read',
  },
  { verb: 'report', near: words('status statistics progress whether summary metrics'), effect: 'read' },
  { verb: 'record', near: words('video screen audio macro'), effect: 'lifecycle' },
  { verb: 'snapshot', near: words('accessibility page dom browser screen ui'), effect: 'read' },
  { verb: 'extract', near: words('archive zip tarball tar unzip'), effect: 'create' },
  { verb: 'restore', near: words('backup backups snapshot snapshots database'), effect: 'rebuild' },
  { verb: 'format', near: words('disk drive volume partition'), effect: 'purge' },
  { verb: 'format', near: words('cell cells range paragraph file files document'), effect: 'update' },
  { verb: 'sort', near: words('range rows sheet table in-place column'), effect: 'update' },
  { verb: 'group', near: words('nodes layers shapes elements'), effect: 'update' },
  { verb: 'draw', near: words('chart graph plot diagram histogram'), effect: 'compute' },
  { verb: 'transform', near: words('node layer shape object'), effect: 'update' },
  { verb: 'embed', near: words('store index upsert'), effect: 'create' },
  { verb: 'verify', near: words('code otp challenge phone payment ownership'), effect: 'lifecycle' },
  { verb: 'answer', near: words('call callback'), effect: 'send' },
  { verb: 'ask', near: words('human user team approval confirmation permission'), effect: 'send' },
  { verb: 'wake', near: words('device machine'), effect: 'lifecycle' },
  { verb: 'map', near: words('field fields column columns'), effect: 'update' },
  { verb: 'leave', near: words('comment review note'), effect: 'create' },
  { verb: 'write', near: words('issue request item items comment review'), effect: 'update' },
];
