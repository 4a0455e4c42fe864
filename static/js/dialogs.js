// The page's one dialog, filled by links that have a page of their own, and the menus of the header.
(() => {
  const dialog = () => document.getElementById('dialog');
  const body = () => document.getElementById('dialog-body');
  const question = () => document.getElementById('discard');
  let typed = false;
  let returning = false;

  // A dialog has an entry in the history of its own, so that Back closes it instead of leaving the page.
  // The page stays where it is scrolled to: a saved row may have taken the focus meanwhile.
  function remember() {
    if (history.state?.dialog) return;
    history.scrollRestoration = 'manual';
    history.pushState({ htmx: true, dialog: true }, '');
  }

  function show() {
    dialog().showModal();
    remember();
  }

  // The summary of what is wrong from its beginning, unless the field in focus would then be out of sight.
  function bringUpErrors() {
    body().querySelector('[autofocus]')?.focus({ preventScroll: true });
    body().querySelector('.error-summary, form > .notice')?.scrollIntoView({ block: 'start' });
    const field = document.activeElement.closest('#dialog-body .field');
    field?.scrollIntoView({ block: 'nearest' });
  }

  // The address under which the same form stands on a page of its own: where a sign-in that ran out comes back to.
  function open({ request }) {
    if (dialog().open) return bringUpErrors();
    dialog().dataset.url = request.method === 'GET' ? request.action : location.pathname + location.search;
    typed = false;
    return show();
  }

  function leave() {
    if (!typed) dialog().close();
    else if (!question().open) question().showModal();
  }

  document.addEventListener('htmx:after:swap', ({ detail: { ctx } }) => {
    // By id, since an element that was replaced as a whole is not in the page any more.
    const id = typeof ctx.target === 'string' ? ctx.target.slice(1) : ctx.target?.id;
    const target = document.getElementById(id);
    if (target === body()) open(ctx);
    else if (ctx.sourceElement.closest?.('#dialog') && !dialog().contains(target) && ctx.response.status < 400) dialog().close();
  });

  // `close` and `cancel` do not bubble; capturing them survives a page that was swapped in whole.
  document.addEventListener('close', (event) => {
    if (event.target !== dialog()) return;
    body().replaceChildren();
    typed = false;
    returning = Boolean(history.state?.dialog);
    if (returning) history.back();
  }, true);

  // Escape comes as a key and, from a phone's gesture, as `cancel`, which a browser may skip the second time.
  document.addEventListener('cancel', (event) => {
    if (event.target !== dialog() || !typed) return;
    event.preventDefault();
    leave();
  }, true);

  document.addEventListener('input', (event) => {
    if (event.target.closest?.('#dialog-body form')) typed = true;
  });

  // Steps of the history that open or close a dialog are none of htmx's, which would fetch the page again. The first
  // listener decides, so this script stands before htmx.
  const own = () => returning || dialog().open;

  window.navigation?.addEventListener('navigate', (event) => {
    if (event.navigationType === 'traverse' && own()) event.stopImmediatePropagation();
  });

  window.addEventListener('popstate', (event) => {
    if (!own()) return;
    event.stopImmediatePropagation();
    if (!returning) {
      if (typed) remember();
      leave();
    }
    returning = false;
    // Only after this event does the browser scroll.
    setTimeout(() => { if (!history.state?.dialog) history.scrollRestoration = 'auto'; });
  });

  document.addEventListener('click', (event) => {
    if (event.target.closest?.('#discard button')) {
      question().close();
      if (event.target.closest('[data-discard]')) dialog().close();
    }
    const inside = event.target.closest?.('dialog[open] [data-close]');
    if (inside) {
      event.preventDefault();
      dialog().close();
    }
    for (const menu of document.querySelectorAll('details.menu[open]')) {
      const chosen = event.target.closest?.('.menu-panel a, .menu-panel button');
      if (menu.contains(event.target) && !chosen) continue;
      // The choice disappears with the menu, so the focus goes back to what opened it, before a dialog remembers it.
      if (chosen && menu.contains(chosen)) menu.querySelector('summary').focus();
      menu.open = false;
    }
  });

  document.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || question().open) return;
    if (dialog().open && typed) {
      event.preventDefault();
      leave();
    }
    const menu = !dialog().open && document.querySelector('details.menu[open]');
    if (!menu) return;
    menu.open = false;
    menu.querySelector('summary').focus();
  });
})();
