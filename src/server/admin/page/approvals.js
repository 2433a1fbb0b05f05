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
    throw new Error(answer.error.message);
  };

  const when = (time) => new Date(time).toLocaleString();

  const factsOf = (approval) => [
    ['Question', approval.message],
    ['Asked by', approval.requester.client || 'an unauthenticated client'],
    ['Calls itself', approval.requester.clientName],
    ['Upstream', approval.upstream],
    ['Danger', `${approval.danger} (${approval.category})`],
    ['Reasons', approval.reasons.join('\n')],
    ['Rule', approval.rule || 'none: danger and trust ask for it'],
    ['Parameters', JSON.stringify(approval.parameters, null, 2), 'parameters'],
    ['Requested', when(approval.requestedAt)],
    ['Expires', when(approval.expiresAt)],
    ['Status', approval.status],
  ];

  const describeDecision = (decision) =>
    `${decision.by}, ${when(decision.at)}${decision.reason ? `: ${decision.reason}` : ''}`;

  const renderFacts = (approval) => {
    const list = element('dl');
    const facts = factsOf(approval);
    if (approval.decision) facts.push(['Decided by', describeDecision(approval.decision)]);
    for (const [name, value, style] of facts) {
      list.append(element('dt', name), element('dd', value, style ? { class: style } : {}));
    }
    return list;
  };

  const decide = async (approval, verb, reason) => {
    const options = { method: 'POST', body: JSON.stringify(reason ? { reason } : {}) };
    const decided = await ask(`/${encodeURIComponent(approval.id)}/${verb}`, options);
    await load();
    say(`${decided.operation}: ${decided.status}`);
  };

  const renderForm = (approval) => {
    const form = element('form');
    const reason = element('input', undefined, { id: `reason-${approval.id}`, maxlength: '1000', autocomplete: 'off' });
    const buttons = [
      ['approve', 'Approve'],
      ['deny', 'Deny'],
    ].map(([verb, label]) => {
      const button = element('button', label, { type: 'button', 'aria-label': `${label} ${approval.operation}` });
      button.addEventListener('click', async () => {
        for (const each of buttons) each.disabled = true;
        await attempt(() => decide(approval, verb, reason.value.trim()));
        for (const each of buttons) each.disabled = false;
      });
      return button;
    });
    // Enter in the reason must not decide.
    form.addEventListener('submit', (event) => event.preventDefault());
    form.append(element('label', 'Reason (optional)', { for: `reason-${approval.id}` }), reason, ...buttons);
    return form;
  };

  const render = (approval) => {
    const article = element('article');
    const heading = element('h2');
    heading.append(element('a', approval.operation, { href: `${page}/${encodeURIComponent(approval.id)}` }));
    article.append(heading, renderFacts(approval));
    if (approval.status === 'pending') article.append(renderForm(approval));
    return article;
  };

  const load = async () => {
    const approvals = wanted ? [await ask(`/${wanted}`)] : (await ask('?status=pending')).approvals;
    byId('approvals').replaceChildren(...approvals.map(render));
    say(approvals.length === 0 ? 'Nothing waits for a decision.' : '');
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
    sessionStorage.setItem(TOKEN, byId('token').value.trim());
    byId('token').value = '';
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
