/** The element that the app asked for (`focus_on_load`), else the first input, else the dialog's first control. */
export function focusFirst(dialog: HTMLElement | null): void {
  const wanted = dialog?.querySelector<HTMLElement>('.modal-body [autofocus]');
  const first = dialog?.querySelector<HTMLElement>(
    '.modal-body :is(input, textarea, .select-button, .chips-open)',
  );
  (wanted ?? first)?.focus();
}
