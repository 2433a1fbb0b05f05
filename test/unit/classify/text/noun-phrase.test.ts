import { describe, expect, test } from 'vitest';
import { classifyTool } from '../../../../src/classify/classify-tool.js';
import { exampleInput, text } from '../tool-example.js';

const categoryOf = (name: string, description: string): string =>
  classifyTool(exampleInput(name, { description, parameters: { subject: text } })).category;

describe('a description that names a thing by its grammar', () => {
  test.each([
    ['moorings', 'Moorings of a harbour with their depth'],
    ['crew_aboard', 'Sailors enrolled on a vessel'],
    ['night_crew', 'People who are on duty'],
    ['berths', 'Berths that are free tonight'],
    ['ropes', 'Lengths, strengths and weights of the ropes in a locker'],
    ['keel', 'The whole outline of the keel'],
    ['hull', 'Expected corrosion of a hull'],
    ['sextant', 'Navigational corrections of a sextant'],
    ['buoys', 'Former anchorages'],
    ['fathoms', 'Depths along a shoreline'],
    ['harbour_data', 'Name, berths and tonnage'],
    ['hold', 'An inventory with weights'],
    ['tide', 'Is it ebbing?'],
    ['barrels', 'Bottles, barrels and casks in the hold'],
    ['seating', 'Seats with their price'],
    ['swell', 'Water above the chart'],
    ['damage_photos', 'Dents and scratches of the hull'],
    ['route_links', 'Notes that link here'],
    ['stores', 'Lots running low'],
    ['wait', 'Waiting time at a lock'],
    ['sales_by_port', 'Purchases and sales by the mate'],
    ['speed', 'Measured against the log'],
    ['free_berths', 'First berth without a boat'],
    ['holds', 'Hides and barrels in the hold'],
    ['signals', 'Blocks and the buoys in them'],
    ['log_line', 'Soak time and cooling rate of a rope'],
    ['sea_state', 'Wave height and how it was measured'],
    ['anchor', 'Peak chain load allowed at anchor'],
    ['lamp', 'Charge left in percent'],
    ['calm', 'Silences longer than an hour'],
    ['fill_levels', 'How full each cask is'],
    ['quench_curve', 'Computes the cooling curve of an anchor'],
    ['rigging', 'Ropes published by the yard'],
    ['depth_info', 'From the keel down to the mud'],
    ['tides', 'Gives the tide times at a port'],
    ['deck_crew', 'Watch and helmsman'],
  ])('is a READ, whatever the thing is: %s (%s)', (name, description) => {
    expect(categoryOf(name, description)).toBe('READ');
  });

  test.each([
    ['moorings', 'Removal of a mooring'],
    ['moorings', 'The deletion of all moorings'],
    ['moorings', 'Registration and removal of a mooring'],
    ['harbour_fee', 'Payment of the harbour fee'],
    ['berth', 'Cancellation of a berth'],
    ['sail_maker', 'Maker of sails'],
    ['horn', 'The alarm of the harbour'],
    ['wake_up', 'Reminder of a departure'],
    ['bosun', 'The helper of the crew'],
    ['deck', 'Frobs the planks of the deck'],
    ['deck', 'Frob planks of the deck'],
    ['deck', 'Frobs, scrubs and disposes of planks'],
    ['deck', 'Swab with a mop'],
    ['deck', 'Speed planks of the deck'],
    ['deck', 'Gets rid of old planks'],
    ['berths', 'No berths are sold from now on'],
    ['hawser', 'A fresh rope for the hold'],
    ['pilot', 'Tell the pilots about a shoal'],
    ['berth', 'Asks for a berth'],
    ['rope_split', 'One rope per boat'],
    ['planks', 'Takes a plank out of the deck'],
    ['berth', 'Glorks planks of the deck'],
    ['berth', 'Glorks records of the deck'],
    ['berth', 'Awards points'],
    ['passes', 'Issues free passes to a guest'],
    ['tow', 'Has a boat towed'],
    ['tow', 'Prescription for a boat'],
    ['ballast', 'Tons of ballast from now on'],
    ['cargo', 'Delivers to the agent'],
    ['diver', 'Feeds a diver'],
  ])('is no READ where an act is named, something that acts, or perhaps a verb: %s (%s)', (name, description) => {
    expect(categoryOf(name, description)).not.toBe('READ');
  });
});
