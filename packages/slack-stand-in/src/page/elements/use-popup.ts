import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useState } from 'preact/hooks';

/**
 * Position of a popup in CSS pixels of the window. The popup is below its anchor, or above it if there is more room.
 */
type PopupPlace = {
  left: string;
  width: string;
  maxHeight: string;
  top?: string;
  bottom?: string;
};

const gap = 4;
const edge = 8;

/** Keeps a popup at its anchor, and closes the popup when the person clicks elsewhere. */
export function usePopup(
  anchor: RefObject<HTMLElement | null>,
  popup: RefObject<HTMLElement | null>,
  { isOpen, close, minWidth }: { isOpen: boolean; close: () => void; minWidth: number },
): PopupPlace | undefined {
  const [place, setPlace] = useState<PopupPlace>();

  useLayoutEffect(() => {
    setPlace(isOpen && anchor.current ? placeAt(anchor.current, minWidth) : undefined);
  }, [isOpen]);

  useEffect(() => {
    if (!isOpen) return;
    const onPointerDown = ({ target }: Event) => {
      const isInside = [anchor, popup].some((each) => each.current?.contains(target as Node));
      if (!isInside) close();
    };
    const follow = () => {
      if (anchor.current) setPlace(placeAt(anchor.current, minWidth));
    };
    const onScroll = ({ target }: Event) => {
      if (target instanceof Node && target.contains(anchor.current)) follow();
    };
    document.addEventListener('pointerdown', onPointerDown, true);
    document.addEventListener('scroll', onScroll, true);
    window.addEventListener('resize', follow);
    return () => {
      document.removeEventListener('pointerdown', onPointerDown, true);
      document.removeEventListener('scroll', onScroll, true);
      window.removeEventListener('resize', follow);
    };
  }, [isOpen]);
  return place;
}

function placeAt(anchor: HTMLElement, minWidth: number): PopupPlace {
  const box = anchor.getBoundingClientRect();
  const width = Math.min(Math.max(box.width, minWidth), window.innerWidth - 2 * edge);
  // Extend a wide popup to the left if its anchor is in the right half of the window.
  const isRight = box.left > window.innerWidth / 2 && width > box.width;
  const preferred = isRight ? box.right - width : box.left;
  const left = Math.max(edge, Math.min(preferred, window.innerWidth - width - edge));
  const below = window.innerHeight - box.bottom - gap - edge;
  const above = box.top - gap - edge;
  const isBelow = below >= 220 || below >= above;
  return {
    left: `${left}px`,
    width: `${width}px`,
    maxHeight: `${Math.min(isBelow ? below : above, 340)}px`,
    ...(isBelow
      ? { top: `${box.bottom + gap}px` }
      : { bottom: `${window.innerHeight - box.top + gap}px` }),
  };
}
