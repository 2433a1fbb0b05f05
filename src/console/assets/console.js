// Served at /ui/console.js. Everything works without it; it keeps an open page up to date, and puts the focus into the search.
(() => {
  const main = () => document.getElementById('main');
  let events;

  /** What tells an element of one state of the page from the others in the next. */
  const keyOf = (element) => {
    if (element.id) return `#${element.id}`;
    const form = element.form?.getAttribute('action') ?? '';
    return [
      element.tagName,
      form,
      element.name ?? '',
      element.type ?? '',
      element.getAttribute('href') ?? element.value,
    ].join(' ');
  };
  const fieldKey = ({ form, name, type, defaultValue }) =>
    [form?.getAttribute('action'), name, type === 'checkbox' || type === 'radio' ? defaultValue : ''].join(' ');
  const fieldsIn = (node) => [...node.querySelectorAll('textarea, select, input:not([type="hidden"])')];

  const isChanged = (field) =>
    field.type === 'checkbox' || field.type === 'radio'
      ? field.checked !== field.defaultChecked
      : field.tagName === 'SELECT' || field.value !== field.defaultValue;

  /** What a person has typed stays, and so does the place in it. */
  const keep = (before, after) => {
    const typed = new Map(
      fieldsIn(before)
        .filter(isChanged)
        .map((field) => [fieldKey(field), field]),
    );
    for (const field of fieldsIn(after)) {
      const old = typed.get(fieldKey(field));
      if (old === undefined) continue;
      if (field.type === 'checkbox' || field.type === 'radio') field.checked = old.checked;
      else field.value = old.value;
    }
    for (const details of after.querySelectorAll('details[id]')) {
      const old = before.querySelector(`#${CSS.escape(details.id)}`);
      details.open = old?.open ?? details.open;
      // Charts close the numbers that nobody has opened.
      if (old?.open) details.dataset.opened = 'yes';
    }
  };
  const keepFocus = (focused, after) => {
    if (focused === undefined) return;
    const next = [...after.querySelectorAll('a, button, input, select, textarea, summary')].find(
      (each) => keyOf(each) === focused.key,
    );
    (next ?? after).focus({ preventScroll: true });
    if (next && focused.selection) next.setSelectionRange(...focused.selection);
  };
  const focusIn = (node) => {
    const element = document.activeElement;
    if (!element || element === node || !node.contains(element)) return undefined;
    const hasText = element.tagName === 'TEXTAREA' || ['text', 'search'].includes(element.type);
    return { key: keyOf(element), selection: hasText ? [element.selectionStart, element.selectionEnd] : undefined };
  };

  /** The page as it is now; undefined where the session has ended: the whole page then leads to the place where it begins. */
  const read = async (address) => {
    const response = await fetch(address, { headers: { 'x-console-refresh': '1' }, cache: 'no-store' });
    if (response.redirected) return location.reload();
    return new DOMParser().parseFromString(await response.text(), 'text/html');
  };
  const replace = (before, next) => {
    if (!next || !before) return false;
    const focused = focusIn(before);
    keep(before, next);
    // A log that is read at its end stays at its end.
    const logs = [...before.querySelectorAll('.log')].map(
      (each) => each.scrollTop + each.clientHeight < each.scrollHeight - 8 && each.scrollTop,
    );
    keepPressable(before, next);
    before.replaceWith(next);
    for (const [index, log] of [...next.querySelectorAll('.log')].entries()) showEnd(log, logs[index]);
    keepFocus(focused, next);
    return true;
  };
  /** A button at the head of the page that was there before takes clicks at once: they are meant for it. */
  const keepPressable = (before, next) => {
    const known = new Set([...before.querySelectorAll('.page-head button')].map(keyOf));
    for (const button of next.querySelectorAll('.page-head button'))
      if (known.has(keyOf(button))) button.classList.add('known');
  };
  const showEnd = (log, top) => {
    log.scrollTop = top || log.scrollHeight;
  };
  /** The counters; the rest of the page stays as it is. */
  const replaceCounters = (page) => {
    for (const part of ['.nav', '.top-count']) replace(document.querySelector(part), page.querySelector(part));
  };

  const refresh = async () => {
    const page = await read(location.href);
    if (page === undefined) return;
    replaceCounters(page);
    if (replace(main(), page.getElementById('main'))) listen();
  };
  const recount = async () => {
    const address = main()?.dataset.events?.replace('events?', 'navigation?');
    const page = address && (await read(address));
    if (page) replaceCounters(page);
  };

  const listen = () => {
    events?.close();
    events = undefined;
    const address = main()?.dataset.events;
    // Browsers keep few connections to one server: pages that are not looked at need none.
    if (address === undefined || document.hidden) return;
    events = new EventSource(address);
    events.addEventListener('changed', () => refresh().catch(() => undefined));
    events.addEventListener('counted', () => recount().catch(() => undefined));
  };

  document.addEventListener('visibilitychange', listen);
  document.addEventListener('keydown', (event) => {
    const isTyping = /^(?:INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);
    if (event.key !== '/' || isTyping || event.ctrlKey || event.altKey || event.metaKey) return;
    const search = document.querySelector('input[type="search"]');
    if (search === null) return;
    event.preventDefault();
    search.focus();
  });
  for (const log of document.querySelectorAll('.log')) showEnd(log);
  listen();
})();
