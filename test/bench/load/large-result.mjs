const COUNT = 1000;

/** JSON text of the 1,000 objects, about 100 bytes each, that `list_objects` and `list_records` answer with. */
export const LARGE_JSON = JSON.stringify(
  Array.from({ length: COUNT }, (_, index) => ({
    key: `item-${String(index).padStart(4, '0')}`,
    title: `Object number ${index} of the list`,
    size: index * 37,
    tags: ['bench', 'large'],
    done: index % 3 === 0,
  })),
);
