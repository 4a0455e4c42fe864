// The page's one dialog, filled by links that have a page of their own, and the menus of the header.
(() => {
  const dialog = () => document.getElementById('dialog');
  const body = () => document.getElementById('dialog-body');

  // The address under which the same form stands on a page of its own: where a sign-in that ran out comes back to.
  function open({ request }) {
    if (dialog().open) return body().querySelector('[autofocus]')?.focus();
    dialog().dataset.url = request.method === 'GET' ? request.action : location.pathname + location.search;
    return dialog().showModal();
  }

  document.addEventListener('htmx:after:swap', ({ detail: { ctx } }) => {
    // By id, since an element that was replaced as a whole is not in the page any more.
    const id = typeof ctx.target === 'string' ? ctx.target.slice(1) : ctx.target?.id;
    const target = document.getElementById(id);
    if (target === body()) open(ctx);
    else if (ctx.sourceElement.closest?.('#dialog') && !dialog().contains(target) && ctx.response.status < 400) dialog().close();
  });

  // `close` does not bubble; capturing it survives a page that was swapped in whole.
  document.addEventListener('close', (event) => {
    if (event.target.id === 'dialog') body().replaceChildren();
  }, true);

  document.addEventListener('click', (event) => {
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
    const menu = event.key === 'Escape' && !dialog().open && document.querySelector('details.menu[open]');
    if (!menu) return;
    menu.open = false;
    menu.querySelector('summary').focus();
  });
})();
