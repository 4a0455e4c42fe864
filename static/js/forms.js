// Forms: character counters, searching while typing, selecting rows, and typed text that outlives a session.
(() => {
  const TYPED_MS = 300;
  const DRAFT = 'draft';
  const timers = new WeakMap();

  function count(area) {
    const counter = document.getElementById(`${area.id}-counter`);
    // The server counts code points of the trimmed text; so does this.
    const n = [...area.value.trim()].length;
    const enough = n >= Number(area.dataset.minimum);
    counter.textContent = (enough ? counter.dataset.enough : counter.dataset.below).replace('#', n.toLocaleString('en'));
    counter.classList.toggle('enough', enough);
  }

  function typed(field) {
    const form = field.form;
    clearTimeout(timers.get(form));
    timers.set(form, setTimeout(() => form.dispatchEvent(new CustomEvent('typed')), TYPED_MS));
  }

  document.addEventListener('input', ({ target }) => {
    if (target.dataset.minimum) count(target);
    const least = Number(target.dataset.typed);
    if (least && (target.value.length === 0 || target.value.length >= least)) typed(target);
  });

  document.addEventListener('change', ({ target }) => {
    if (target.matches('.filters select, .filters input[type="date"], .filters input[type="checkbox"]')) typed(target);
    if (target.matches('.pills-select select')) target.form.requestSubmit();
    if (target.matches('[data-select-all], [data-select]')) selected(target);
  });

  document.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.target.closest?.('[data-submit-keys]')?.form.requestSubmit();
  });

  // Empty fields say nothing in an address that somebody will bookmark.
  document.addEventListener('htmx:config:request', ({ detail: { ctx } }) => {
    if (ctx.request.method !== 'GET' || !(ctx.request.body instanceof FormData)) return;
    for (const [name, value] of [...ctx.request.body]) if (value === '') ctx.request.body.delete(name);
  });

  function selected(box) {
    const boxes = [...document.querySelectorAll('[data-select]')];
    const all = document.querySelector('[data-select-all]');
    if (box === all) for (const each of boxes) each.checked = all.checked;
    const n = boxes.filter((each) => each.checked).length;
    all.checked = n === boxes.length;
    all.indeterminate = n > 0 && n < boxes.length;
    const bar = document.querySelector('[data-selection]');
    bar.textContent = n ? bar.dataset.text.replace('#', n) : '';
  }

  function keepDraft(form, path) {
    const fields = [...new FormData(form)].filter(([name, value]) => {
      const secret = form.elements[name]?.type === 'password';
      return name !== 'csrf_token' && !secret && typeof value === 'string' && value !== '';
    });
    if (!fields.length) return;
    const draft = { person: document.body.dataset.person, path, action: new URL(form.action).pathname, fields };
    sessionStorage.setItem(DRAFT, JSON.stringify(draft));
  }

  document.addEventListener('submit', ({ target }) => {
    if (target.method === 'post' && !target.hasAttribute('hx-post') && document.body.dataset.person) keepDraft(target, location.pathname + location.search);
  });

  document.addEventListener('htmx:response:error', ({ detail: { ctx } }) => {
    if (ctx.response.status !== 401) return;
    const dialog = document.getElementById('dialog');
    const here = location.pathname + location.search;
    const path = dialog.open ? dialog.dataset.url : here;
    if (ctx.request.form && ctx.request.method === 'POST') keepDraft(ctx.request.form, path);
    ctx.hx = {};
    location.assign(`/login?${new URLSearchParams({ next: path, expired: '1' })}`);
  });

  function fill(form, fields) {
    for (const [name, value] of fields) {
      const field = form.elements[name];
      if (field instanceof RadioNodeList || !field || field.type === 'hidden') continue;
      if (field.type === 'checkbox') field.checked = true;
      else field.value = value;
      if (field.dataset.minimum) count(field);
    }
    window.announce(document.getElementById('announcer').dataset.restored);
  }

  // Only a sign-in page in between makes a draft count; any other page means that the text has arrived.
  function restoreDraft() {
    const draft = JSON.parse(sessionStorage.getItem(DRAFT) ?? 'null');
    if (!draft) return;
    if (document.querySelector('[data-sign-in]')) {
      sessionStorage.setItem(DRAFT, JSON.stringify({ ...draft, expired: true }));
      return;
    }
    sessionStorage.removeItem(DRAFT);
    const here = location.pathname + location.search;
    if (!draft.expired || draft.person !== document.body.dataset.person || draft.path !== here) return;
    const form = [...document.forms].find((each) => each.method === 'post' && new URL(each.action).pathname === draft.action);
    if (form) fill(form, draft.fields);
  }

  for (const area of document.querySelectorAll('[data-minimum]')) count(area);
  restoreDraft();
})();
