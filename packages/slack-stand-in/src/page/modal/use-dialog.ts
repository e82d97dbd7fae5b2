import { useLayoutEffect, useRef } from 'preact/hooks';

/**
 * Opens a `<dialog>` as modal while the component is mounted. The browser keeps the focus inside, returns it afterward,
 * and blocks the content below.
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
