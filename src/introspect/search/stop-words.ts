const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Words that hold a sentence together and say nothing of what is looked for; left out of the index as well. */
export const FUNCTION_WORDS: ReadonlySet<string> = words(`
  a an the of to in on at by for from with into onto over about as is are was were be been being am do does did done has
  have had having will would can could should may might must shall i me my mine we us our ours you your yours he she him
  her his hers it its they them their theirs this that these those there here what which who whom whose when where why
  how and or but nor if then than so not no yes per via also just only very too`);

/** Words of requests that ask for nothing in particular; operations may well be named with them. */
export const REQUEST_WORDS: ReadonlySet<string> = words(`
  please let lets tell want wants need needs like give gives get gets got use used uses using some any all each every both
  either neither more most much many few other others another such same own out off up down again one ones thing things
  something anything everything stuff kind whatever currently right now etc don doesn didn isn aren wasn weren won ll ve
  re eg ie`);

/** Words that nearly every server's name holds. */
export const SERVER_WORDS: ReadonlySet<string> = words('mcp server servers api tool tools op');
