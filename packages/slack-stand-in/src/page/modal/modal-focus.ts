/** The element with `focus_on_load`, the first input, or the dialog's first control. */
export function focusFirst(dialog: HTMLElement | null): void {
  const wanted = dialog?.querySelector<HTMLElement>('.modal-body [autofocus]');
  const first = dialog?.querySelector<HTMLElement>(
    '.modal-body :is(input, textarea, .select-button, .chips-open)',
  );
  (wanted ?? first)?.focus();
}

/** Scrolls to the first field with an error. The browser would only scroll to its control. */
export function focusWrong(dialog: HTMLElement | null): void {
  const field = dialog?.querySelector<HTMLElement>('.has-error');
  field
    ?.querySelector<HTMLElement>(':is(input, textarea, button, [contenteditable])')
    ?.focus({ preventScroll: true });
  field?.scrollIntoView({ block: 'nearest' });
  // For a field that is taller than the modal, at least to its error.
  field?.querySelector('.field-error')?.scrollIntoView({ block: 'nearest' });
}
