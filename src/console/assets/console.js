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
    for (const details of after.querySelectorAll('details[id]'))
      details.open = before.querySelector(`#${CSS.escape(details.id)}`)?.open ?? details.open;
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

  const refresh = async () => {
    const response = await fetch(location.href, { headers: { 'x-console-refresh': '1' }, cache: 'no-store' });
    // The session has ended: the whole page leads to the place where it begins.
    if (response.redirected) return location.reload();
    const next = new DOMParser().parseFromString(await response.text(), 'text/html').getElementById('main');
    const before = main();
    if (next === null || before === null) return undefined;
    const focused = focusIn(before);
    keep(before, next);
    before.replaceWith(next);
    keepFocus(focused, next);
    return listen();
  };

  const listen = () => {
    events?.close();
    events = undefined;
    const address = main()?.dataset.events;
    // Browsers keep few connections to one server: pages that are not looked at need none.
    if (address === undefined || document.hidden) return;
    events = new EventSource(address);
    events.addEventListener('changed', () => refresh().catch(() => undefined));
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
  listen();
})();
