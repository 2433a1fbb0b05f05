import { rememberTexts } from '../../base/lib/remember.js';
import { stemsOf } from './find-verb.js';
import { type Effect, LEXICON, type VerbForm } from './lexicon.js';

/** What a verb does of which no more is known: something, or something that is hardly undone. */
type Deed = Extract<Effect, 'act' | 'end'>;

/** A verb of English that the lexicon does not hold. */
export interface OtherVerb {
  readonly lemma: string;
  /** Nothing where it may as well only look or answer, as "study" and "discuss" do. */
  readonly effect: Deed | undefined;
  /** Whether the word is a noun or an adjective more often than a verb. */
  readonly nounness: 'never' | 'mostly';
}

/**
 * English verbs whose effect on a server is not known, in their base form. They keep a sentence or a name that begins with one of
 * them from being read as the name of a thing, and those that do something say so.
 */
const OTHER_VERBS: readonly {
  readonly nounness: OtherVerb['nounness'];
  readonly effect: Deed | undefined;
  readonly words: string;
}[] = [
  {
    nounness: 'never',
    effect: 'act',
    words: `
    absorb accelerate accommodate accompany accomplish achieve acquire admit advertise amplify animate anneal assert assist attain
    attract authenticate autofill automate avert avoid babysit bake barter bash bathe beg bend bisect bless blink borrow bounce breathe
    brighten bring broaden bury caulk celebrate certify chase check chew choke choose clad clog coerce colonize combine commend
    communicate compel compensate compete complicate conceal concede confine confirm conform confront confuse congratulate conquer
    conserve conspire construct contain contradict convene criticize crumble cuddle cultivate darken debug deceive declare decorate
    dedicate deduct deepen defend defile define deflect defragment defrost deliver depart detain develop devise devote diagnose dictate
    die dilate dine disappoint disapprove disclose discourage disinfect dispatch dispense disperse disprove disregard distill distort
    distract distribute disturb diversify divert dominate download downplay downsize drench dub dunk earn educate elevate embark
    embarrass embed embody embrace emigrate employ empower emulate enact encircle enclose encourage endorse energize engage enhance
    enlighten enlist enliven enrage enrich enslave entangle enter entertain enthrall entice entitle entrust equip erect err erupt espouse
    etch exaggerate excite exclude exert exhale expand extrude fabricate faint falsify fascinate fasten fatten fertilize flatten flatter
    forge forgive formulate fortify frighten frown frustrate fry fulfil furnish fuse germinate gild gobble govern greet grind handcuff
    hang harass harmonize hasten heal heave hide hoist honk humiliate hurl hydrate ignite ignore imitate immerse immobilize impair impart
    impel implicate implore incite incorporate incubate incur indent induce indulge infiltrate inflate inflict inform infringe infuse
    inhabit inhale inherit inhibit inject injure inline innovate inscribe inspire instruct insulate insure integrate intensify interfere
    intimidate intrude invent invert invest irrigate irritate isolate kindle knead kneel knit laminate lend let lengthen lessen liberate
    lighten litigate liven lodge loosen lounge lubricate lug lurk magnetize magnify maximize meddle mediate mend meow milk mimic mince
    minimize mislead misplace misuse mobilize modernize modulate moisturize motivate motorize mourn mow muddle multiplex mumble munch
    munge navigate negotiate nibble nod nominate nourish nudge numb nurture obey oblige obscure obsess obstruct occupy offend offload
    omit oppose oppress opt ordain oscillate outsource overcharge overclock overcome overlook oversee overtake pacify permeate perpetuate
    persuade poke polarize pollinate possess pray preach precipitate preclude predate prescribe preside pretend prevent prick prioritise
    proclaim procure prod prolong propagate propel protrude provoke prowl purify pursue quadruple qualify quicken rasterize react reap
    reassure rebut reclaim recline recommence reconnoiter reconstruct rectify recycle reduce refill refine refrain refund regain register
    regulate rehabilitate rehearse reimburse reinforce reinstate rejoin relapse relegate relent relieve remind remodel render renovate
    reopen reorganize repaint repay repel replenish reprimand reproduce reproject reprove repulse resent resign resound restrain restrict
    resurface retain retaliate retouch retreat reunite revel revere revise revisit revive rinse rouse sadden salvage satisfy saturate
    savor scold scorn scour scowl scribble scrub sculpt seclude seduce segregate sell serenade sew shave shelve shimmer shiver
    shove sicken sieve sift sing smear smelt soar socialize soften sow speak spend spook sprinkle spurn stabilize stiffen stimulate
    stoop straddle straighten strengthen stumble subdivide submerge subsidize suck summon supervise supplant surpass surrender sustain
    swallow swear sweeten swerve tack tarnish teach tempt terrify thicken threaten thrive thwart tighten tolerate tow transact transcend
    transmit twiddle unblur unbox uncover undercut underline undertake undress unearth unfasten unfold unify unite unleash unmask unplug
    unroll unseal untie unveil unwind unwrap uphold uplift utter vaccinate validate veer ventilate verbalize vibrate vindicate vocalize
    vouch wag wallow warn warrant weep weld widen wield withstand wobble`,
  },
  {
    nounness: 'never',
    effect: 'end',
    words: `
    abolish accuse assassinate banish betray bleed burst cancel cease condemn confiscate corrupt curtail deaccession decommission deface
    deflate defuse degrade demolish denounce deplete deport depress deprive deteriorate devastate devour dilute disarm disband
    discontinue dislocate dismantle displace disqualify disrupt dissolve drown eject eliminate embezzle endanger eradicate erode
    euthanise euthanize evade evaporate exhaust expel explode expose exterminate extinguish extort flee forbid forgo forsake impeach
    implode impound imprison incinerate indict infect infest invade jeopardize jettison kidnap launder lose mangle manipulate molest
    neutralize nullify oust overpower overthrow overturn overwrite penalize penetrate plunder prohibit prosecute pulverize puncture
    punish quell quench ransack ravage raze renounce repeal retire retract revoke rip rob sabotage scald scorch sear seize sequester
    sever shatter shear shred shun shut shutter slash slay smuggle spoil squander starve steal sterilize stifle strangle stun subvert sue
    suffocate topple undermine unravel uproot usurp vacate vandalize vanish vanquish vaporize victimize vilify violate weaken withhold
    worsen wring fell cull cremate amputate annul castrate demagnetize depose detonate electrocute expropriate foreclose neuter
    repossess scuttle slaughter spay unseat`,
  },
  {
    nounness: 'never',
    effect: undefined,
    words: `
    accumulate admire arrive ascend aspire assume assure become begin behave believe belong born come commence complain comply
    confess confide consider converge converse convince cooperate cope decide depend descend deserve despise disagree disappear
    discover elaborate emerge emit emphasize encounter endure enjoy enquire entail evolve exceed excel except exist expect
    facilitate flourish forage frob frobnicate give grow happen have hear hesitate imagine imply impress include indicate inquire
    intend involve justify know loathe meditate narrate occur ooze originate owe partake perceive persist ponder postulate precede prefer
    preserve prevail pronounce radiate recede reckon recognize refer reflect rejoice relish rely remain require resemble reside
    resist reveal roam say see seem sit specialize succeed suffer suffice suppose survive symbolize tend testify undergo
    understand utilize vary wander weigh yeet represent`,
  },
  {
    nounness: 'mostly',
    effect: undefined,
    words: `
    boil cite cry deviate discuss dislike dwell even express face fail fall fear feel float flow gleam glow guess hate help hope judge
    keep lack lament lie live look love matter mean meet mention mind miss offer own plan puzzle quest question quote reach reason regard
    regret reign relate remark rest revolve rise run scout sense serve shine sight sniff spot stand stay study suit support surround
    survey suspect swell swim talk travel tremble trickle try use value venture visit walk want will win wish witness wonder work worry
    yield`,
  },
  {
    nounness: 'mostly',
    effect: 'end',
    words: `
    arrest axe bin blackmail blast bleach bomb break bulldoze bust butcher crash crush damage decay defeat desert end exile fine fire hack
    liquidate loot murder outlaw poison pollute quit ruin sack sacrifice scrap shed sink slit smash spill squash strip torch void wreck
    yank zap zero`,
  },
  {
    nounness: 'mostly',
    effect: 'act',
    words: `
    account act address advance aim air amass anchor arm assault attack attempt auction audition award bail bait balance balloon bar
    bargain bark base battle beam bear beat benefit bet bevel bill bite blanket blend blind blow bolt bond boost bottle bow bowl box
    braid brake branch brand bread breed brew bribe bridge brief brush bubble buckle bud buff buffer bug bully butter buzz bypass cache
    cage calm camp cap carve cash cast cause caution cement censor center centre challenge chance channel chant chat cheat cheer chill
    chip chop clap clash clip clone cloud club cluster clutch coach coat code coin combat comfort command comment commission compact
    complement compliment compromise concentrate condition consent console contact contest contract contrast convict cook cool coordinate
    cost cough counsel counter couple court cover crack craft cram crawl credit creep cross crouch crown cube cure curl curse curve
    cushion cycle dance dare dash date deal debate debit decrease decree delay demand dent deposit desire dial diet dig dim dip direct
    discount disguise disgust dish dispute dive divorce dock document dodge double doubt drag dread dream dress drift drill drink drip
    drive drug drum dry duck dull dye ease eat echo eclipse edge elect engineer engrave equal escape escort essay exact exchange excuse
    exempt exercise exhibit exit experience experiment exploit eye fade fake fan farm fashion fast favor fax feature feed fence ferment
    ferry fight figure file film finance finger fish fit flank flap flare flash flavor flick flood fly foam focus fold fool force fork
    form foster found fracture frame free freight frost fuel function fund funnel further gain gallop gamble garnish gas gaze gear
    glance glaze glide glue gossip grab grade graduate graft grasp grate graze grease grip groom ground growl guarantee guard gulp hail
    hammer handicap harbor harm harness harvest hatch haul haunt head heap heat hedge herd hire hit hoard hold honor hook hop host hound
    house hug hum humble hunt hurry hurt idle impact implant implement increase influence ink insult intercept interlock interview
    invoice iron itch jail jam jerk jog jolt juggle jump kiss knock label lace land latch laugh lay lead leak lean leap lease lecture
    level levy license lick lift light limit linger litter loan lobby loop lower lunge manufacture march mash mask massage master mate
    mature melt memo menace mesh meter mill mine mirror mix moan mock model mold mop mould murmur nail narrow near neglect nest notch
    number nurse object offset outfit overheat overload pace pack package pad paddle page paint pair palm pan parachute parade
    pardon park part partition pass patrol pave pawn peck pedal peel peep pepper perch perfect perfume pick pickle picture pierce pile
    pilot pinch pioneer pipe pitch pivot plague plant plaster please pledge plow pluck plug plunge point police polish pool pop pose
    position pound pour practice practise praise present pressure prime probe profit program progress project prompt prospect protest
    pump punch quack quarrel quiet quiz race raid rain raise rally ram ramble rap rattle rear rebel recruit reel refuse relax relay
    remedy rent repeat reproach rescue research reserve resort rev reward rhyme rid ride ridicule risk rival roar roast rock root rope
    rot rotate route row rub rule rumble rush rust saddle sail salute sample sanction sand saw scale scan scar scare scatter scent
    schedule scoff scoop score scramble scratch scream screen screw seal season seat secure seed sentence separate shade shake shame
    shampoo shape shell shelter shield shift shock shoe shoot shop shout shovel shower shriek shrug sideline sigh silence sip size skate
    sketch ski skid skin skirt slam slap sleep slice slide slip slow smell smile smoke smooth snap snare snatch sneak sneeze snip snore
    soak soap solder space span spar spare spark sparkle spear speed spell spice spin spit splash splice splinter sponsor spoof spray
    spread spring sprint sprout spur spy square squat squeak squeal squeeze stab stack staff staggers stain stall staple stare state
    steam steep stem stereotype stick sting stink stir stitch stock store storm strain strand strap stray stress stretch strike string
    strive stroke stroll structure struggle stub stuff stunt style subdue subject subpoena substitute sum supplement surf surge surprise
    swamp swarm sway sweat sweep swing swirl tackle tail taint tame tan tangle tape target taste tattoo taunt tax tear tease telephone
    tender thank thaw thin thrash thread thrill throttle throw thrust thump tickle tidy tie tilt time tinker tint tire toast toll top
    torment torture toss tour trace trade train trample transplant transport trap traverse treat trick trim trip triple triumph trot
    trouble trust tuck tug tumble tunnel twist type upset urge usher vacuum vest veto view voice volunteer vow wade wage wail warm warp
    wash waste water wave wear weave wed weed welcome wet whip whirl whisk whistle wind wing wink wire worship wound wrap wrestle yawn
    yell zoom`,
  },
];

const BY_LEMMA: ReadonlyMap<string, OtherVerb> = new Map(
  OTHER_VERBS.flatMap(({ words, ...rest }) =>
    words
      .trim()
      .split(/\s+/)
      .map((lemma) => [lemma, { lemma, ...rest }] as const),
  ),
);

/** The endings of verbs that are made of any noun: "digitize", "gamify". */
const MADE_VERB = /[a-z]{3}(?:ize|ify)s?$/;

/** The verb that a word is a form of, where the lexicon does not know it. */
export const findOtherVerb = rememberTexts((word): (OtherVerb & { readonly form: VerbForm }) | undefined => {
  for (const [stem, form] of formsOf(word)) {
    if (LEXICON.has(stem)) return undefined;
    const verb = BY_LEMMA.get(stem);
    if (verb !== undefined) return { ...verb, form };
  }
  return MADE_VERB.test(word)
    ? { lemma: word, effect: 'act', nounness: 'never', form: word.endsWith('s') ? 'third' : 'base' }
    : undefined;
});

/** Whether a word may be a verb of English, in the base form, in -s or in -ing, known to the lexicon or not. */
export function mayBeAnyVerb(word: string): boolean {
  return /(?:ize|ise|ify|ate)s?$/.test(word) || formsOf(word).some(([stem]) => LEXICON.has(stem) || BY_LEMMA.has(stem));
}

/** A prefix changes what a verb does, not that it is one: "rewrap", "unhook". */
function formsOf(word: string): readonly (readonly [string, VerbForm])[] {
  const bare = word.replace(/^(?:re|un|de|pre|auto|over|mis|dis|co)-?(?=[a-z]{3})/, '');
  return bare === word ? stemsOf(word) : [...stemsOf(word), ...stemsOf(bare)];
}
