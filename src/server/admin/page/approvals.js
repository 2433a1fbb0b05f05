// Served at /ui/approvals.js. Texts come from models and upstreams: they are only ever set as text, and characters that cannot be
// seen (which could reorder or hide what a person approves) are spelled out, by the expression of lib/text.ts.
(() => {
  const TOKEN = 'mcp-aql-gateway.operator-token';
  const api = new URL('../admin/approvals', document.currentScript.src).href;
  const page = new URL('approvals', document.currentScript.src).href;
  const wanted = (location.pathname.split('/ui/approvals/')[1] || '').replace(/\/$/, '');
  const byId = (id) => document.getElementById(id);

  const escapeUnit = (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  const visible = (text) =>
    String(text).replace(
      /(?!\n|\t|\ufe0e|\ufe0f)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|(?<!\p{Emoji})(?:\ufe0e|\ufe0f)/gu,
      (character) => character.split('').map(escapeUnit).join(''),
    );

  const element = (tag, text, attributes) => {
    const node = document.createElement(tag);
    if (text !== undefined) node.textContent = visible(text);
    for (const [name, value] of Object.entries(attributes || {})) node.setAttribute(name, value);
    return node;
  };

  const say = (text) => {
    byId('message').textContent = visible(text);
  };

  const showSignIn = (signedOut) => {
    byId('sign-in').hidden = !signedOut;
    byId('actions').hidden = signedOut;
    if (!signedOut) return;
    byId('approvals').replaceChildren();
    byId('token').focus();
  };

  const ask = async (path, options) => {
    const headers = { authorization: `Bearer ${sessionStorage.getItem(TOKEN)}`, 'content-type': 'application/json' };
    const response = await fetch(api + path, { ...options, headers, cache: 'no-store', redirect: 'error' });
    const answer = await response.json();
    if (response.ok) return answer;
    if (response.status === 401) {
      sessionStorage.removeItem(TOKEN);
      showSignIn(true);
      throw new Error('This token is not valid. Enter an operator token.');
    }
    throw Object.assign(new Error(answer.error.message), { status: response.status });
  };

  /** What a caller writes about itself: in quotes, on one line, at most 100 characters. */
  const quoted = (text) => `“${visible(text).replace(/\s+/g, ' ').slice(0, 100)}”`;

  const when = (time) => new Date(time).toLocaleString();

  const requesterOf = ({ client, clientName }) =>
    `${client || 'an unauthenticated client'}, which calls itself ${quoted(clientName)}`;

  // What a caller wrote stands below what the gateway knows.
  const factsOf = (approval) => [
    ['Question', approval.message],
    ['Reasons', approval.reasons.join('\n')],
    ['Rule', approval.rule || 'none: danger and trust ask for it'],
    ['Asked by', requesterOf(approval.requester)],
    ['Requested', when(approval.requestedAt)],
    ['Expires', when(approval.expiresAt)],
    ['Status', approval.status],
  ];

  const describeDecision = (decision) =>
    `${decision.by}, ${when(decision.at)}${decision.reason ? `: ${decision.reason}` : ''}`;

  // Each value has a direction of its own, so that letters of one cannot reorder its surroundings.
  const renderFact = (name, value, style) => {
    const cell = element('dd');
    cell.append(element('bdi', value, style ? { class: style, dir: 'ltr' } : { dir: 'auto' }));
    return [element('dt', name), cell];
  };

  const renderFacts = (facts) => {
    const list = element('dl');
    for (const fact of facts) list.append(...renderFact(...fact));
    return list;
  };

  const renderParameters = (parameters) => {
    const list = element('dl', undefined, { class: 'values' });
    const entries = Object.entries(parameters);
    for (const [name, value] of entries) list.append(...renderFact(name, JSON.stringify(value, null, 2), 'parameters'));
    return entries.length === 0 ? element('p', 'No parameters.') : list;
  };

  const renderContent = (approval, known) => {
    const holder = element('div');
    holder.append(renderParameters(known.full || known.parameters));
    const whole = element('button', 'Show long values in full', { type: 'button' });
    whole.addEventListener('click', () =>
      attempt(async () => {
        const { full } = await ask(`/${encodeURIComponent(approval.id)}?full=1`);
        whole.disabled = true;
        if (full) holder.replaceChildren(renderParameters(full));
        else whole.textContent = 'Nothing is cut';
      }),
    );
    holder.append(whole);
    return holder;
  };

  // One decision needs as many clicks as its danger asks for, and the first of two buttons is the one that changes nothing:
  // a double click decides nothing that was not read.
  const ASKED_TWICE = ['destructive', 'dangerous', 'forbidden'];

  const renderForm = (approval) => {
    const form = element('form');
    const id = `reason-${approval.id}`;
    const reason = element('input', undefined, { id, maxlength: '1000', autocomplete: 'off' });
    const result = element('p', '', { class: 'result', tabindex: '-1' });
    const controls = element('div', undefined, { class: 'buttons' });
    const disable = (disabled) => {
      for (const each of [reason, ...controls.children]) each.disabled = disabled;
    };

    const decide = async (verb) => {
      disable(true);
      const body = JSON.stringify({
        digest: approval.digest,
        ...(reason.value.trim() && { reason: reason.value.trim() }),
      });
      try {
        const decided = await ask(`/${encodeURIComponent(approval.id)}/${verb}`, { method: 'POST', body });
        result.textContent = `${decided.status} by you, ${new Date().toLocaleTimeString()}`;
        say(`${decided.operation}: ${decided.status}`);
      } catch (problem) {
        result.textContent = visible(problem.message);
        say(problem.message);
        // What is decided, expired or changed cannot be decided here any more.
        if (![404, 409, 410].includes(problem.status)) disable(false);
      }
      result.focus();
    };

    const button = (label, press, spoken) => {
      const node = element('button', label, {
        type: 'button',
        'aria-label': spoken || `${label} ${approval.operation}`,
      });
      // The second click of a double click is meant for what was here at the first.
      node.addEventListener('click', (event) => (event.detail > 1 ? undefined : press()));
      return node;
    };
    const offer = () =>
      controls.replaceChildren(
        button('Approve', approve),
        button('Deny', () => decide('deny')),
      );
    const back = () => {
      offer();
      result.textContent = '';
    };
    const approve = () => {
      if (!ASKED_TWICE.includes(approval.danger)) return decide('approve');
      const values = Object.entries(approval.parameters).map(([name, value]) => `${name} = ${JSON.stringify(value)}`);
      result.textContent = visible(
        `Approve ${approval.operation} with ${values.join(', ').slice(0, 500) || 'no parameters'}?`,
      );
      controls.replaceChildren(
        button('Back', back, 'Back without a decision'),
        button('Yes, approve', () => decide('approve')),
      );
    };

    // Enter in the reason must not decide.
    form.addEventListener('submit', (event) => event.preventDefault());
    offer();
    form.append(element('label', 'Reason (optional)', { for: id }), reason, controls, result);
    return form;
  };

  const render = (approval) => {
    const article = element('article');
    const heading = element('h2');
    heading.append(element('a', approval.operation, { href: `${page}/${encodeURIComponent(approval.id)}` }));
    const above = renderFacts([
      ['Danger', `${approval.danger} (${approval.category})`],
      ['Upstream', approval.upstream],
    ]);
    const facts = factsOf(approval);
    if (approval.decision) facts.push(['Decided by', describeDecision(approval.decision)]);
    article.append(heading, above, element('h3', 'Parameters'), renderContent(approval, approval), renderFacts(facts));
    if (approval.status === 'pending') article.append(renderForm(approval));
    return article;
  };

  /** How many requests are shown at once. */
  const SHOWN = 20;

  const load = async () => {
    const list = wanted ? { approvals: [{ id: wanted }], total: 1 } : await ask(`?status=pending&first=${SHOWN}`);
    const path = ({ id }) => `/${wanted ? id : encodeURIComponent(id)}`;
    const approvals = await Promise.all(list.approvals.map((each) => ask(path(each))));
    byId('approvals').replaceChildren(...approvals.map(render));
    if (approvals.length === 0) return say('Nothing waits for a decision.');
    say(
      list.total > approvals.length
        ? `The first ${approvals.length} of ${list.total} requests. Refresh shows those that follow.`
        : '',
    );
  };

  const attempt = async (deed) => {
    try {
      await deed();
    } catch (problem) {
      say(problem.message);
    }
  };

  byId('sign-in').addEventListener('submit', (event) => {
    event.preventDefault();
    const token = byId('token').value.trim();
    byId('token').value = '';
    // A header takes no other characters.
    if (!/^[\x21-\x7e]+$/.test(token)) return say('This is no operator token: it has characters that no token has.');
    sessionStorage.setItem(TOKEN, token);
    showSignIn(false);
    void attempt(load);
  });
  byId('refresh').addEventListener('click', () => attempt(load));
  byId('sign-out').addEventListener('click', () => {
    sessionStorage.removeItem(TOKEN);
    showSignIn(true);
    say('Signed out.');
  });

  showSignIn(sessionStorage.getItem(TOKEN) === null);
  if (sessionStorage.getItem(TOKEN) !== null) void attempt(load);
})();
