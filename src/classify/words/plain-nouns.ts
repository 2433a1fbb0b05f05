import { setOfWords } from './lexicon.js';

/**
 * Common nouns of trades, nature and daily life that are hardly ever verbs, in the singular. A sentence or a name that begins with one
 * of them names a thing; a word that is neither here nor a known verb stays a doubt where it could be either.
 */
const PLAIN_NOUNS: ReadonlySet<string> = setOfWords(`
  abbey abdomen acid acorn acre actor actress adapter adult aerial agency agenda aircraft airfield airport airspace aisle album alcohol alder algae
  alley allergen alloy almanac aluminium ambulance ammonia amphibian amplifier ancestor angel animal ankle ant antelope antenna antibody antique
  apartment aperture appendix apple appliance apprentice apricot apron aquarium arch archer arena argon aria armour army aroma arrow arsenal artery
  artist artwork ash asphalt assembly asteroid athlete atlas atom attic aunt author autumn avalanche avenue axis axle baby bachelor bacon bacteria
  badger bagel bakery balcony ballad ballast ballet ballot bamboo banana bandage banjo banner banquet baptism barcode barge barley barn barometer baron
  barracks barrel barrier basement basil basin basketball bass bat bathroom bathtub baton bayonet bazaar beach beacon bead beak bean bear beard beast
  beaver bedroom bee beech beef beer beetle beetroot bell bellows belly berry berth beverage bicycle billboard bin biography biopsy birch bird birthday
  biscuit bishop blackboard blackbird bladder blade blanket blossom blouse boar boiler bolster bonfire bonnet bookcase booklet bookshelf boulder
  boundary bouquet boutique bracelet bracket brain brass bravery breakfast breast breeze brewery brick bride bridegroom broccoli brochure bronze brook broom
  brother buckle buffalo building bulb bulletin bumper bungalow buoy bureau burial burrow bus bush butler butterfly buttress cabbage cabin cabinet
  cafe cafeteria calcium calendar calf camel camera campaign campus canal canary candle candidate cannon canoe canopy canteen canvas canyon
  cape capital captain caravan carbon carcass cardboard career cargo carnation carnival carpenter carpet carrot cart cartilage cartoon cartridge
  cascade cashier casino casket cassette castle casualty cathedral cattle cauliflower cavalry cave cavern ceiling celery cell cellar cello cemetery
  census ceramic cereal ceremony chalk champion chapel chapter charcoal chariot charity charter chassis chauffeur cheek cheese chef chemist cherry
  chess chest chestnut chicken child chimney chin chlorine chocolate choir cholera chord chorus church cicada cider cigar cinema cinnamon circuit
  circus citizen city claimant clarinet clavicle clay cleric clerk clinic cloak clove clover clue cobalt cobra cockpit cocoa coconut cod coffee coffin
  coil colleague college collision colonel colony colt column comb comedian comedy comet commodity companion compass complaint composer compost
  compound concert concrete condominium cone consonant constellation consul consumer continent contractor convent convoy cookie copper copse coral cord
  cork corn corner coroner corpse corridor cosmos costume cottage cotton couch council countess country county coupon courier courtroom courtyard cousin
  coverlet cow crab cradle crane crater cream creature creek cricket criminal crocodile crossword crow crowd crusader crystal cub cubicle cucumber
  cuisine cupboard curator currant curriculum curtain cushion customer cutlery cylinder cymbal dagger dairy daisy dam damsel dandelion darkness
  dashboard daughter dawn daylight deacon deck decoder deer delta dentist depot deputy desert dessert detective device devil dew diabetes diagonal
  diagram dialect diamond diaphragm diary dictionary diesel dignitary dinner dinosaur diode diploma diplomat disaster disciple disease diver dividend
  doctor doll dolphin donkey donor door dormitory dosage dough dragon dragonfly drainpipe drama drawer drone drought druid drum duchess duke dungeon
  dusk dwarf dynamite dynasty eagle earring earth earthquake earthworm easel eastern ebony eclair ecology economy eel egg elbow elder electorate
  electrode electron elephant elevator elf elk elm embassy embryo emerald emperor employee employer empress enamel encyclopedia engine entrance
  envelope enzyme epidemic episode epoch equator equipment era ermine errand essay estate estuary ethanol evening exam expedition eyebrow
  eyelid fable fabric facade factory falcon family farmer farmhouse fauna faucet feather ferment fern ferret ferry festival feudal fever fiddle
  fig filament finch finger fir firefighter fireplace firewood fireworks fjord flamingo flannel flea fleet flora florist flour flower flute foal foliage folklore
  football footpath footwear forearm forehead foreman forest forester fork fort fortress fossil fountain fox fracture fragrance freezer freighter
  freshman friar friend frog frontier fruit fungus fur furnace furniture galaxy gallery garage garden gardener garlic garment gateway gazelle gearbox
  gecko gem gemstone gender gene general generator genius geranium germ geyser ghost giant ginger giraffe girl glacier gladiator gland glassware glove
  glucose glue goat goblet goddess goggles gold goldfish golf gondola goose gorilla gospel governor gown grain grandchild grandfather grandmother granite
  grape grapefruit graph grass grasshopper grave gravel gravestone graveyard greenhouse grocer grocery grove guardian guild guillotine guitar gull gum gutter
  gym gypsum habitat haddock hail hair hallway halo ham hamlet hammock hamster handbag handbook handkerchief handrail hangar hare harp harpoon harvest
  hatchet hawk hay hazelnut headache headland headquarters heart hearth heather heaven hedge hedgehog heir heirloom helicopter helium helmet hemisphere
  hemp hen herald herb herd heron herring hexagon hill hillside hinge hippo hive hobby hockey holiday holly homestead honey hoof horizon hormone horn hornet
  horse horseshoe hose hospice hospital hostel hotel hound hourglass household housewife hovercraft hull hummingbird hurdle hurricane husband hut hydrant
  hydrogen hyena hygiene hymn iceberg icicle icon idol igloo illness infant infantry ink inlet inn insect insulin insurer intestine invoice iron island
  ivory ivy jacket jaguar janitor jar jasmine javelin jaw jellyfish jersey jewel jewellery joint journal journalist journey jubilee judge juice jungle juror
  jury kangaroo karate kayak kebab kennel kernel kerosene kettle keyboard kidney kiln king kingdom kiosk kitchen kite kitten knee knife knight knob knuckle koala
  laboratory labyrinth ladder lady lagoon lake lamb lamp lampshade landlord landmark landscape lane language lantern larch lard lark larva laser laundry lava
  lavender lawn lawyer layer lead leaf leaflet league leather lecturer leech leek legend lemon lemonade lens lentil leopard leprosy lesson lettuce liar
  librarian library lieutenant lifeboat lighthouse lilac lily limb lime limestone limousine linen lion lip lipstick liquor lizard llama loaf lobster locker locket
  locomotive locust lodge loft loom lorry lotus lounge lumber lung lute lyric macaroni machine machinery magazine maggot magician magma magnesium magnet mahogany maid
  mailbox malaria mammal mammoth manager mango mansion mantle manuscript maple marathon marble margarine marina marjoram marmalade marquee marrow marsh
  mattress mayor maze meadow meal measles meat mechanic medal medicine medic melon member membrane menu merchant mercury mermaid meteor methane mezzanine
  microbe microphone microscope microwave midwife milestone militia millet millionaire mineral miner minister minstrel mint mirror missile missionary mistletoe
  mitten moat mole molecule mollusc monarch monastery money mongoose monk monkey monolith monsoon monster monument moon moor moose morgue morning mortgage mosaic
  mosque mosquito moss motel moth mother motorbike motorcycle motorway mountain mouse moustache mouth mud muffin mule muscle museum mushroom music musician
  mussel mustard muzzle mystery myth nanny napkin nation nebula necklace needle nephew nerve nettle neutron newspaper newt nickel niece nightingale
  nitrogen noodle noon nostril notary notebook novel novelist nozzle nucleus nun nursery nutrient nylon oak oar oasis oat oatmeal oboe ocean octagon octave octopus
  odour officer offspring ointment olive omelette onion opal opera orange orbit orchard orchestra orchid oregano organ organism ornament orphan osprey ostrich otter
  ounce outfit outlaw outpost oval ovary oven overcoat owl ox oxygen oyster ozone paddock padlock pagoda pail painter palace palm pamphlet pancake panda pansy panther
  pantry papaya parachute paragraph parakeet parasite parcel parchment parent parish parliament parrot parsley parsnip parson parrot passenger passport pasta pastry pasture
  path patient patio patriot patrol pavement pavilion paw pea peach peacock peanut pear pearl pebble pedestrian pelican pelvis penalty pencil pendant pendulum penguin
  peninsula pension pentagon peony people perch performer perfume peril periscope petal petrol petticoat pewter pharmacist pharmacy pheasant phone phosphorus photo
  photographer physician physicist pianist piano picnic pie pier pigeon piglet pigment pillar pillow pilot pine pineapple pipeline piper pirate pistachio pistol piston
  pizza placard plague plaid plain planet plankton plantation plasma plastic plateau platinum platoon platter playground plaza pleasure plumber plumage plywood pneumonia
  poem poet poetry polar polio politician pollen polygon pond pony poplar poppy porcelain porch porcupine pore pork porridge portfolio porthole portrait postcard
  postman potassium potato pottery poultry powder prairie prawn preacher precinct predator prefix premier premises priest primate prince princess prism prison prisoner
  prize professor propeller prophet protein protestant proton province pub puddle puffin pulley pulp pulpit puma pumpkin pupil puppet puppy pyramid python quail quarry
  quartet quartz quay queen quill quilt quince quiver rabbi rabbit rabies raccoon radar radiator radish raft raincoat rainbow raisin ranch rapier raspberry rat raven
  ravine razor rectangle referee refugee regatta regiment reindeer relative relic religion reptile republic reservoir residence resident resin restaurant
  retina rhino rhubarb rhythm rib ribbon rice rifle river robin robot rocket rodent roof rooster rosary rose rosemary rowboat ruby rug rugby ruler rye sabre saddle
  safari saffron sage sailor saint salad salamander salary salmon saloon saliva salt sanctuary sandal sandwich sapphire sapling sardine satellite satin saucer sauna
  sausage savanna saxophone scabbard scaffold scallop scarecrow scarf scholar school schooner scientist scissors scorpion scripture sculptor sculpture sea seabed seagull
  seal seaside seaweed secretary sediment semester senate senator sergeant sermon serpent servant sesame settler sewage sewer shack shallot shark sheep sheriff
  shilling shoelace shop shoreline shoulder shrew shrimp shrine shrub shuttle sibling sickle siege silicon silk silver singer sister skeleton skier skirmish skull sky
  skyscraper slab slave sleet sleeve slipper slogan slug smith smog snail snake snow snowflake soap soccer sock sodium sofa soil soldier soloist soul soup spa spade
  spaghetti spaniel sparrow spectator sphere spider spinach spine spiral spleen sponge spoon spouse spruce squad squadron squash squid squirrel stable stadium
  stag stairs stallion stanza starfish statue stethoscope steward stomach stool stork storey stove stranger straw strawberry stream street stretcher student studio
  subway suburb sugar suitcase sulphur sultan summer summit sunflower sunlight sunrise sunset supermarket supper surgeon surgery swallow swan sweater swimmer sword sycamore
  syllable symphony syringe syrup tablecloth tablet tailor talon tambourine tavern taxi teacher teapot teaspoon teenager telescope temple tenant tennis tent tentacle
  termite terrace terrain terrier territory theatre theater thermometer thief thigh thistle thorn throat throne thunder thyme tiara tiger tiger timber tin tissue toad tobacco toddler
  toe toilet tomato tomb tongue tonsil tooth torch tornado torpedo tortoise totem tourist tournament towel tower town toy tractor tram trapeze treasure treaty tree
  trench triangle tribe tributary tricycle trolley trombone trophy trousers trout trumpet tuba tuberculosis tulip tumour tuna tundra tunnel turbine turkey turnip turquoise
  turret turtle tusk tutor twig twin tycoon typhoon udder umbrella uncle unicorn uniform universe university urn utensil vaccine valley valve van vanilla vapour vase vault
  vegetable vehicle vein velvet verandah verse vessel vicar victim village villain vine vinegar vineyard violet violin virus vitamin vocabulary volcano vowel vulture
  waist waiter waitress wallet walnut walrus wardrobe warehouse warrior wart wasp waterfall weasel weather weekend whale wharf wheat wheel wheelbarrow whiskey widow wife
  willow windmill window wine winter witch wizard wolf woman wood woodpecker wool worm wreath wren wrist yacht yeast yoghurt yolk zebra zinc zodiac zoo`);

/** Whether a word, in the singular or in -s, is a noun that is hardly ever a verb. */
export const isPlainNoun = (word: string): boolean =>
  PLAIN_NOUNS.has(word) ||
  (word.endsWith('s') &&
    (PLAIN_NOUNS.has(word.slice(0, -1)) ||
      PLAIN_NOUNS.has(word.slice(0, -2)) ||
      PLAIN_NOUNS.has(`${word.slice(0, -3)}y`)));
