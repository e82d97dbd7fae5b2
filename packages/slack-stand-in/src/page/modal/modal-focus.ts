/** The element that the app asked for (`focus_on_load`), else the first input, else the dialog's first control. */
export function focusFirst(dialog: HTMLElement | null): void {
  const wanted = dialog?.querySelector<HTMLElement>('.modal-body [autofocus]');
  const first = dialog?.querySelector<HTMLElement>(
    '.modal-body :is(input, textarea, .select-button, .chips-open)',
  );
  (wanted ?? first)?.focus();
}

/** The first field that was refused, with its error: the browser itself scrolls only as far as the control is seen. */
export function focusWrong(dialog: HTMLElement | null): void {
  const field = dialog?.querySelector<HTMLElement>('.has-error');
  field
    ?.querySelector<HTMLElement>(':is(input, textarea, button, [contenteditable])')
    ?.focus({ preventScroll: true });
  field?.scrollIntoView({ block: 'nearest' });
  // Of a field that is taller than the modal at least the error.
  field?.querySelector('.field-error')?.scrollIntoView({ block: 'nearest' });
}
