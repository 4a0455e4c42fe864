// Where the keyboard is after a part of the page was replaced, and the shortcut to the search field.
(() => {
  let opener = null;
  let left = null;

  function place(element) {
    const row = element?.closest?.('[data-row]');
    if (!row) return { id: element?.id };
    const rows = [...row.parentElement.querySelectorAll(':scope > [data-row]')];
    return { id: element.id, list: row.parentElement.id, index: rows.indexOf(row) };
  }

  function control(row) {
    return row?.querySelector('.row-actions a, .row-actions button, a, button');
  }

  function nextControl({ list, index }) {
    const rows = document.getElementById(list)?.querySelectorAll(':scope > [data-row]') ?? [];
    return control(rows[Math.min(index, rows.length - 1)]);
  }

  function heading(target) {
    const region = typeof target === 'string' ? document.querySelector(target) : document.getElementById(target?.id);
    const near = region?.querySelector('[data-heading]') ?? region?.closest('section')?.querySelector('[data-heading]');
    return near ?? document.querySelector('main [data-heading]') ?? document.getElementById('main');
  }

  function lost() {
    const active = document.activeElement;
    return !active || active === document.body || active.closest('dialog:not([open])') !== null;
  }

  document.addEventListener('htmx:before:request', ({ detail: { ctx } }) => {
    const source = ctx.sourceElement;
    if (source.getAttribute('hx-target') === '#dialog-body') opener = place(source);
    const button = ctx.request.submitter ?? source;
    left = source.closest('#dialog') ? opener : place(button);
  });

  document.addEventListener('htmx:after:swap', ({ detail: { ctx } }) => {
    if (document.getElementById('dialog').open || !lost() || !left) return;
    const target = (left.id && document.getElementById(left.id))
      || control(document.querySelector('.row.new'))
      || (left.list && nextControl(left))
      || heading(ctx.target);
    target?.focus({ preventScroll: target.id === 'main' });
  });

  // Tabs that have no room scroll sideways; the current one is in view.
  function showCurrentTabs() {
    for (const row of document.querySelectorAll('.tabs ul')) {
      const tab = row.querySelector('[aria-current]');
      if (tab) row.scrollLeft += tab.getBoundingClientRect().left - row.getBoundingClientRect().left - (row.clientWidth - tab.clientWidth) / 2;
    }
  }

  document.addEventListener('htmx:after:swap', showCurrentTabs);
  showCurrentTabs();

  document.addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest?.('input, textarea, select, [contenteditable]')) return;
    const search = document.querySelector('main input[type="search"]');
    if (!search) return;
    event.preventDefault();
    search.closest('details')?.setAttribute('open', '');
    search.focus();
  });
})();
