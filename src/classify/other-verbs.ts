import { LEXICON, setOfWords } from './lexicon.js';

/**
 * English verbs whose effect on a server is not known, in their base form. They say nothing of what a tool does; they only keep a
 * sentence that begins with one of them from being read as the name of a thing.
 */
const OTHER_VERBS = setOfWords(`
  absorb accelerate accommodate accompany accomplish account accumulate accuse achieve acquire act address admire admit advance
  advertise aim air amass amplify anchor animate anneal arm arrest arrive ascend aspire assassinate assault assert assist assume assure
  attack attain attempt attract auction audition authenticate autofill automate avert avoid award babysit bail bait bake balance balloon
  banish bar bargain bark barter base bash bathe battle beam bear beat become beg begin behave believe belong bend benefit bet betray
  bevel bill bisect bite blackmail blanket blast bleach bleed blend bless blind blink blow boil bolt bomb bond boost born borrow bottle
  bounce bow bowl box braid brake branch brand bread break breathe breed brew bribe bridge brief brighten bring broaden brush bubble
  buckle bud buff buffer bug bulldoze bully burst bury bust butcher butter buzz bypass cache cage calm camp cancel cap carve cash cast
  caulk cause caution cease celebrate cement censor center centre certify challenge chance channel chant chase chat cheat check cheer
  chew chill chip choke choose chop cite clad clap clash clip clog clone cloud club cluster clutch coach coat code coerce coin colonize
  combat combine come comfort command commence commend comment commission communicate compact compel compensate compete complain
  complement complicate comply compliment compromise conceal concede concentrate condemn condense condition confess confide confine
  confirm confiscate conform confront confuse congratulate conquer consent conserve consider console conspire construct contact contain
  contest contract contradict contrast convene converge converse convict convince cook cool cooperate coordinate cope corrupt cost cough
  counsel counter couple court cover crack craft cram crash crawl credit creep criticize cross crouch crown crumble crush cry cube cuddle
  cultivate cure curl curse curve cushion cycle damage dance dare darken dash date deal debate debit debug decay deceive decide declare
  decommission decorate decrease decree dedicate deduct deepen deface defeat defend defile define deflate deflect defragment defrost
  defuse degrade delay deliver demand demolish denounce dent depart depend depict deplete deport deposit depress deprive descend desert
  deserve desire despise detain deteriorate devastate develop deviate devise devote devour diagnose dial dictate die diet dig dilate dilute
  dim dine dip direct disagree disappear disapprove disarm disappoint disclose discount discourage discover discuss disguise disgust dish
  disinfect dislike dislocate dispatch dispense disperse displace disprove dispute disqualify disregard disrupt dissolve distill distort
  distract distribute disturb dive diversify divert divorce dock document dodge dominate double doubt download downplay downsize drag
  dread dream drench dress drift drill drink drip drive drown drug drum dry dub duck dull dunk dwell dye earn ease eat echo eclipse edge
  educate eject elaborate elect elevate eliminate embark embarrass embed embezzle embody embrace emerge emigrate emit emphasize employ
  empower emulate enact encircle enclose encounter encourage end endanger endorse endure energize engage engineer engrave enhance enjoy
  enlighten enlist enliven enquire enrage enrich enslave entail entangle enter entertain enthrall entice entitle entrust envision equal
  equip erect erode err erupt escape escort espouse essay etch evade evaporate even evolve exact exaggerate exceed excel except exchange
  excite exclude excuse exempt exercise exert exhale exhaust exhibit exile exist exit expand expect expel experience experiment
  explode exploit expose express extinguish extort extrude eye fabricate face facilitate fade fail faint fake fall falsify fan farm
  fascinate fashion fast fasten fatten favor fax fear feature feed feel fence ferment ferry fertilize fight figure file film finance fine
  finger fire fish fit flank flap flare flash flatten flatter flavor flee flick float flood flourish flow fly foam focus fold fool
  forage forbid force foresee forge forgive fork form formulate forsake fortify foster found fracture frame free freight frighten
 say frob frobnicate frost frown frustrate fry fuel fulfil function fund funnel furnish further fuse gain gallop gamble garnish gas gauge
  gaze gear germinate gild give glance glaze gleam glide glow glue gobble gossip govern grab grade graduate graft grasp grate graze grease
  greet grind grip groom ground grow growl guarantee guard guess gulp hack hail hammer handcuff handicap hang happen harass harbor
  harm harmonize harness harvest hasten hatch hate haul haunt have head heal heap hear heat heave hedge help herd hesitate hide hire hit
  hoard hoist hold honk honor hook hop hope host hound house hug hum humble humiliate hunt hurl hurry hurt hydrate idle ignite ignore
  imagine imitate immerse immobilize impact impair impart impeach impel implant implement implicate implode implore imply impress
  imprison incinerate incite include incorporate increase incubate incur indent indicate indict induce indulge infect infest infiltrate
  inflate inflict influence inform infringe infuse inhabit inhale inherit inhibit inject injure ink inline innovate inquire inscribe
  inspire instruct insulate insult insure integrate intend intensify intercept interfere interlock interview intimidate intrude
  invade invent invert invest invoice involve iron irrigate irritate isolate itch jail jam jeopardize jerk jettison jog jolt
  judge juggle jump justify keep kidnap kindle kiss kneel knead knit knock know label lace lack lament laminate land last latch laugh
  launder lay lead leak lean leap lease lecture lend lengthen lessen level levy liberate license lick lie lift light lighten limit linger
  liquidate litigate litter live liven loan loathe lobby lodge look loop loosen loot lose lounge love lower lubricate lug lunge lurk magnetize
  magnify mangle manipulate manufacture march mash mask massage master mate matter mature maximize mean meddle mediate meditate meet
  melt memo menace mend mention meow mesh meter milk mill mimic mince mind mine minimize mirror misplace mislead miss misuse mix moan mobilize
  mock model modernize modulate moisturize mold molest mop motivate motorize mould mourn mow muddle multiplex mumble munch munge murder murmur
  nail narrate narrow navigate near neglect negotiate nest neutralize nibble nod nominate notch nourish nudge nullify numb number nurse
  nurture obey object oblige obscure obsess obstruct occupy occur offend offer offload offset omit ooze oppose oppress opt ordain
  originate oscillate oust outfit outlaw outline outsource overcharge overclock overcome overheat overload overlook overpower oversee
  overtake overthrow overturn owe own pace pacify pack package pad paddle page paint pair palm pan parachute parade pardon park partake
  part partition pass patrol pave pawn peck pedal peel peep penalize penetrate pepper perceive perch perfect perfume permeate perpetuate
  persist persuade pick pickle picture pierce pile pilot pinch pioneer pipe pitch pivot plague plan plant plaster please pledge plow pluck
  plug plunder plunge point poison poke polarize police polish pollinate pollute ponder pool pop pose position possess postulate pound pour
  practice practise praise pray preach precede precipitate preclude predate prefer prescribe present preserve preside pressure pretend
  prevail prevent prick prime prioritise probe proclaim procure prod profit program progress prohibit project prolong prompt pronounce
  propagate propel prosecute prospect protest protrude provoke prowl pump punch puncture punish purify pursue puzzle quack quadruple
  qualify quarrel quell quench quest question quicken quiet quit quiz quote race radiate raid rain raise rally ram ramble ransack rap rasterize
  rattle ravage raze reach react reap rear reason reassure rebel rebut recede reckon reclaim recline recognize recommence reconnoiter
  reconstruct recount recruit rectify recycle reduce reel refer refill refine reflect refrain refund refuse regain regard register regret
  regulate rehabilitate rehearse reign reimburse reinforce reinstate rejoice rejoin relapse relate relax relay relegate relent relieve relish
  rely remain remark remedy remind remodel render renounce renovate rent reopen reorganize repaint repay repeal repeat repel replenish
  reprimand reproach reproduce reproject reprove repulse require rescue research resemble resent reserve reside resign resist resort resound rest
  restrain restrict resurface retain retaliate retire retouch retract retreat reunite rev reveal revel revere revise revisit revive
  revoke revolve reward rhyme rid ride ridicule rinse rip rise risk rival roam roar roast rob rock root rope rot rotate rouse route row rub ruin rule
  rumble run rush rust sabotage sack sacrifice sadden saddle sail salute salvage sample sanction sand satisfy saturate savor saw scald scale scan
  scar scare scatter scent schedule scoff scold scoop scorch score scorn scour scout scowl scramble scrap scratch scream screen screw
  scribble scrub sculpt seal sear season seat seclude secure seduce see seed seem segregate seize sell sense sentence separate
  sequester serenade serve settle sever sew shade shake shame shampoo shape shatter shave shear shed shell shelter shelve shield shift
  shimmer shine shiver shock shoe shoot shop shout shove shovel shower shred shriek shrug shun shut shutter sicken sideline sieve sift sigh
  sight silence sing sink sip sit size skate sketch ski skid skim skin skirt slam slap slash slay sleep slice slide slip slit slow smash
  smear smell smelt smile smoke smooth smuggle snap snare snatch sneak sneeze sniff snip snore soak soap soar socialize soften solder
  sow space span spar spare spark sparkle speak spear specialize speculate speed spell spend spice spill spin spit splash splice splinter
  spoil sponsor spoof spook spot spray spread spring sprinkle sprint sprout spur spurn spy squander square squash squat squeak squeal
  squeeze stab stabilize stack staff staggers stain stall stand staple stare starve state stay steal steam steep stem stereotype sterilize
  stick stiffen stifle stimulate sting stink stir stitch stock stoop store storm straddle straighten strain strand strangle strap stray
  strengthen stress stretch strike string strip strive stroke stroll structure struggle stub study stuff stumble stun stunt style
  subdivide subdue subject submerge subpoena subsidize substitute subvert succeed suck sue suffer suffice suffocate suit sum summon
  supervise supplant supplement support suppose surf surge surpass surprise surrender surround survey survive suspect sustain swallow swamp
  swarm sway swear sweat sweep sweeten swell swerve swim swing swirl symbolize tack tackle tail taint talk tame tan tangle tape target tarnish
  taste tattoo taunt tax teach tear tease telephone tempt tend tender terrify testify thank thaw thicken thin thrash thread threaten thrill
  thrive throttle throw thrust thump thwart tickle tidy tie tighten tilt time tinker tint tire toast tolerate toll top topple torch torment
  torture toss tour tow trace trade train trample transact transcend transmit transplant transport trap travel traverse treat tremble trick
  trickle trim trip triple triumph trot trouble trust try tuck tug tumble tunnel twiddle twist type unblur unbox uncover undercut undergo
  underline undermine understand undertake undress unearth unfasten unfold unify unite unleash unmask unplug unravel unroll unseal untie
  unveil unwind unwrap uphold uplift uproot upset urge use usher usurp utilize utter vacate vaccinate vacuum validate value vandalize
  vanish vanquish vaporize vary veer ventilate venture verbalize vest veto vibrate victimize view vilify vindicate violate visit vocalize
  voice void volunteer vouch vow wade wag wage wail walk wallow wander want warm warn warp warrant wash waste water wave weaken wear weave
  wed weed weep weigh weld welcome wet whip whirl whisk whistle widen wield will win wind wing wink wire wish withhold withstand witness
  wobble wonder work worry worsen worship wound wrap wreck wrestle wring yank yawn yeet yell yield zap zero zoom`);

/** Whether a word may be a verb of English, in the base form, in -s or in -ing, known to the lexicon or not. */
export function mayBeAnyVerb(word: string): boolean {
  return stems(word).some((stem) => LEXICON.has(stem) || OTHER_VERBS.has(stem));
}

function stems(word: string): readonly string[] {
  const bare = word.replace(/^(?:re|un|de|pre|auto|over|mis|dis|co)-?(?=[a-z]{3})/, '');
  return [word, bare].flatMap((one) => [
    one,
    ...(one.endsWith('s') ? [one.slice(0, -1)] : []),
    ...(one.endsWith('es') ? [one.slice(0, -2)] : []),
    ...(one.endsWith('ies') ? [`${one.slice(0, -3)}y`] : []),
    ...(one.endsWith('ing') ? [one.slice(0, -3), `${one.slice(0, -3)}e`, one.slice(0, -4)] : []),
    ...(/(?:ize|ise|ify|ate)s?$/.test(one) ? ['act'] : []),
  ]);
}
