import { setOfWords } from './lexicon.js';

/**
 * Nouns for what is measured or counted. Nobody does anything to one that has no article: "Edit distance", "Fill levels" and "Queue
 * minutes" are compounds, whatever their first word may be besides.
 */
export const MEASURES: ReadonlySet<string> = setOfWords(`
  acceleration age ages altitude amplitude area areas average averages balance balances bandwidth capacity chance chances charge concentration
  concentrations consumption coordinates coverage current currents curve curves cycle cycles danger dates deviation days delta density depth depths diameter
  difference differences direction directions distance distances duration durations edge efficiency elevation emissions exposure
  frequency frequencies growth hardness height heights history hours humidity incidence income intensity latency length lengths level
  levels likelihood limits load loads loss losses lumens magnitude margin margins mass maximum mean median mileage minimum minutes moisture
  mortality noise number numbers occupancy odds output percentage percentages percentile period periods position positions power precipitation pressure
  prevalence probability quality quantity quantities radius range ranges rank rate rates ratio ratios reading readings recovery
  resistance resolution risk risks salinity score scores seconds share shares size sizes slope speed speeds spread stability statistics
  strength strengths stress sum supply temperature temperatures tension thickness threshold thresholds tides time times tolerance tonnage total totals
  trajectory trend trends turnout usage value values variance velocity velocities viscosity visibility volatility volume volumes wait
  metres meters kilometres kilometers miles litres liters gallons tonnes tons kilos kilograms pounds grams degrees volts amps watts decibels points
  price prices cost costs fees tariffs tension torque traffic draught heading bearing bearings
  wavelength wear weight weights width widths yield yields`);

/** Nouns that are verbs too, and of which one measures or counts something. */
const MEASURED = setOfWords(`
  square cubic net radio ballast bunker cargo signal steering
  air arrest battery beam bid birth blast blood bolt bond boot bounce brake breath brew buffer build burn call car care cash charge church churn click
  cloud coat cooling core crash crew crop crowd cure cut cycle damage death debt dive dose drag drill drive drop dry dust edit exchange exercise exit
  face fall fan fare farm fatigue feed field fill fire fish flash flight flood flow fluid foam focus force freight frost fuel gas gear grain grant grip
  ground growth hatch head heart heat hold hole home hook house hull ice idle impact input interest job joint jump keel labor land lap
  laser launch lead leak lease lens lift light line lock loss mail market mash mast mill mine mix mold moon motor mud net noise oil oven paint park pass
  paste peak pet phase pile pipe pitch pit plant plug point pool port pour power press print prime pulse pump queue quote race rack rain rake
  ramp reach refill rent repair rest return ride ring river roast rock roll roof root rope route run sag sail salt sand scan scrap screw sea seat
  seed shaft share shear sheet shell shift ship shock shot signal sink skin slab sleep slip slope slot smoke snow soak soil solder sound spark spawn spin
  spot spray spring stack staff stain stall start steam steel stem step stock stop storm strain stream street stress stretch string stroke study surface surge
  survey swarm sweep swell swing switch tank tax test thaw throttle tide tie tilt timber tone tool torque touch tow trace trade traffic train transit transport travel
  tree trip trunk turn tyre vacuum valve vent view visit voice voltage wait walk wall warp wash waste water wave wax wear weather weld wind wing wire
  work wound yarn`);

/** "Edit distance between", "Soak time for": a compound of what is measured, and its measure. */
export function isMeasure(words: readonly string[]): boolean {
  const head = words.at(-1) ?? '';
  const [first = ''] = words;
  // "Burning hours since the last change".
  const measured = MEASURED.has(first) || (first.endsWith('ing') && first.length > 5);
  return words.length > 1 && words.length <= MOST_WORDS && MEASURES.has(head) && measured;
}

const MOST_WORDS = 4;
