// What the page says by itself: passing messages, errors of the server, announcements for screen readers.
(() => {
  const PASSING_MS = 8000;
  const KEPT = 3;
  const byId = (id) => document.getElementById(id);

  function announce(text) {
    byId('announcer').textContent = text;
  }

  function alertText(ctx) {
    const places = byId('alerts').dataset;
    if (!ctx?.response) return places.noConnection;
    const said = ctx.text && new DOMParser().parseFromString(ctx.text, 'text/html').querySelector('[data-alert]');
    if (said) return said.textContent.trim().replace(/\s+/g, ' ');
    const id = ctx.response.headers.get('X-Request-Id');
    return id ? `${places.unexpected} (${id})` : places.unexpected;
  }

  function closeButton() {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'button quiet icon-only';
    button.dataset.dismiss = '';
    button.ariaLabel = byId('alerts').dataset.dismiss;
    button.textContent = '×';
    return button;
  }

  // An error belongs where the reader is: above the form of an open dialog (the page behind it is inert), else below.
  function showError(text, source) {
    const dialog = source?.closest?.('dialog[open]');
    const failed = source?.closest?.('[data-failed]')?.dataset.failed;
    const box = document.createElement('div');
    box.className = dialog ? 'notice bad' : 'toast bad';
    const said = document.createElement(dialog ? 'div' : 'p');
    said.textContent = failed ? `${failed}. ${text}` : text;
    box.append(said, closeButton());
    (dialog ? byId('dialog-alert') : byId('alerts')).replaceChildren(box);
    if (dialog) box.scrollIntoView({ block: 'nearest' });
  }

  function hidesItself(toast) {
    if (toast.matches(':hover, :focus-within')) setTimeout(hidesItself, PASSING_MS, toast);
    else toast.remove();
  }

  // The newest message is the one that matters: it takes the place of passing ones, not of an Undo.
  function tend(toasts) {
    const fresh = [...toasts.children].filter((toast) => !('timed' in toast.dataset));
    if (!fresh.length) return;
    for (const old of toasts.querySelectorAll('[data-passing][data-timed]')) old.remove();
    for (const toast of fresh) {
      toast.dataset.timed = '';
      if (!('passing' in toast.dataset)) continue;
      setTimeout(hidesItself, PASSING_MS, toast);
    }
    while (toasts.children.length > KEPT) toasts.firstElementChild.remove();
  }

  document.addEventListener('htmx:response:error', ({ detail: { ctx } }) => {
    const status = ctx.response.status;
    if (status !== 401 && status !== 409 && status !== 422) showError(alertText(ctx), ctx.sourceElement);
  });

  document.addEventListener('htmx:error', ({ detail: { ctx } }) => {
    if (ctx && !ctx.response) showError(alertText(null), ctx.sourceElement);
  });

  document.addEventListener('htmx:before:request', () => {
    byId('alerts').replaceChildren();
    byId('dialog-alert').replaceChildren();
  });

  document.addEventListener('htmx:after:swap', ({ detail: { ctx } }) => {
    const toast = ctx.sourceElement.closest?.('.toast');
    if (toast && ctx.response.status < 400) toast.remove();
    tend(byId('toasts'));
    const said = document.querySelector(`${typeof ctx.target === 'string' ? ctx.target : '#' + ctx.target?.id} [data-announce]`);
    if (said) announce(said.textContent.trim());
  });

  document.addEventListener('click', (event) => {
    const button = event.target.closest?.('[data-dismiss]');
    button?.closest('.toast, .notice').remove();
    const copy = event.target.closest?.('[data-copy]');
    if (copy) copyFrom(document.querySelector(copy.dataset.copy));
  });

  async function copyFrom(field) {
    field.select();
    try {
      await navigator.clipboard.writeText(field.value);
    } catch {
      // Without a secure origin there is no clipboard object; the old command still works on the selection.
      document.execCommand('copy');
    }
    announce(byId('announcer').dataset.copied);
  }

  tend(byId('toasts'));
  window.announce = announce;
})();
