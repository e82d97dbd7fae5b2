import { useLayoutEffect, useRef } from 'preact/hooks';

/**
 * Opens a `<dialog>` as modal while the component stands: the browser keeps the focus inside and
 * gives it back afterwards; what lies below cannot be reached.
 */
export function useDialog() {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const element = dialog.current;
    const before = document.activeElement;
    element?.showModal();
    return () => {
      element?.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return dialog;
}
