import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { usePopup } from './use-popup.ts';

export type MenuItem = {
  key: string;
  label: ComponentChildren;
  description?: string;
  isDanger?: boolean;
  choose: () => unknown;
};

type MenuProps = {
  label: string;
  trigger: ComponentChildren;
  items: MenuItem[];
  class: string;
  /** Text to show if the menu has no items. */
  empty?: string;
};

/**
 * Shows a button that opens a menu. Arrow keys move between the items. Escape closes the menu and returns the focus to
 * the button.
 */
export function Menu({ label, trigger, items, class: className, empty }: MenuProps) {
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const close = () => setOpen(false);
  const place = usePopup(button, list, { isOpen, close, minWidth: 240 });

  useLayoutEffect(() => {
    if (place) list.current?.querySelector<HTMLElement>('[role=menuitem]')?.focus();
  }, [place !== undefined]);

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape' || event.key === 'Tab') {
      event.stopPropagation();
      if (event.key === 'Escape') event.preventDefault();
      close();
      button.current?.focus();
      return;
    }
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const found = [...(list.current?.querySelectorAll<HTMLElement>('[role=menuitem]') ?? [])];
    const at = found.findIndex((item) => item.matches(':focus'));
    found[(at + step + found.length) % found.length]?.focus();
  };
  const choose = (item: MenuItem) => {
    close();
    button.current?.focus();
    item.choose();
  };
  return (
    <span class="menu-anchor">
      <button
        ref={button}
        type="button"
        class={className}
        aria-label={label}
        title={label}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        {trigger}
      </button>
      {isOpen && (
        <div
          ref={list}
          class="popup"
          role="menu"
          tabIndex={-1}
          onKeyDown={onKeyDown}
          aria-label={label}
          style={place ?? { opacity: 0 }}
        >
          {items.length === 0 && <div class="popup-hint">{empty}</div>}
          {items.map((item) => (
            <button
              key={item.key}
              type="button"
              role="menuitem"
              tabIndex={-1}
              class={`popup-item${item.isDanger ? ' popup-danger' : ''}`}
              onClick={() => choose(item)}
            >
              {item.label}
              {item.description && <small>{item.description}</small>}
            </button>
          ))}
        </div>
      )}
    </span>
  );
}
