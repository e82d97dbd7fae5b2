import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

const controls = ':is(input, textarea, button, a[href])';

/** If an update removes the focused control, moves the focus to the one that replaces it. */
export function useKeptFocus(
  dialog: RefObject<HTMLDialogElement | null>,
  { blocks, isTop }: { blocks: unknown[]; isTop: boolean },
): void {
  const lastIndex = useRef(0);

  useLayoutEffect(() => {
    const noteBlock = ({ target }: FocusEvent) => {
      const block = target instanceof Element && target.closest('.modal-body > .blocks > *');
      if (block) lastIndex.current = [...(block.parentElement?.children ?? [])].indexOf(block);
    };
    const element = dialog.current;
    element?.addEventListener('focusin', noteBlock);
    return () => element?.removeEventListener('focusin', noteBlock);
  }, []);

  useLayoutEffect(() => {
    const element = dialog.current;
    if (!isTop || !element || element.contains(document.activeElement)) return;
    const shown = [...element.querySelectorAll('.modal-body > .blocks > *')];
    const from = shown.slice(lastIndex.current).concat(shown.slice(0, lastIndex.current).reverse());
    const control = from.map((block) => block.querySelector<HTMLElement>(controls)).find(Boolean);
    control?.focus();
  }, [blocks]);
}
