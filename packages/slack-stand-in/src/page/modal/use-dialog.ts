import { useLayoutEffect, useRef } from 'preact/hooks';

/**
 * Opens a `<dialog>` as modal while the component is mounted. The browser keeps the focus in the dialog, and blocks the
 * content below. When the dialog closes, the focus returns to the earlier element.
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
