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
    const inDialog = ctx.target === body() || ctx.target === '#dialog-body';
    if (inDialog) open(ctx);
    else if (dialog().open && ctx.response.status < 400 && ctx.sourceElement.closest?.('#dialog')) dialog().close();
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
      if (!menu.contains(event.target)) menu.open = false;
    }
  });

  document.addEventListener('keydown', (event) => {
    const menu = event.key === 'Escape' && document.querySelector('details.menu[open]');
    if (!menu) return;
    menu.open = false;
    menu.querySelector('summary').focus();
  });
})();
