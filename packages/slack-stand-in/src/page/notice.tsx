import { useEffect, useRef } from 'preact/hooks';
import { Icon } from './icon.tsx';

const shownMs = 10_000;

type NoticeProps = { text: string | undefined; dismiss: () => void };

/** Shows an error above open modals for a short time. */
export function Notice({ text, dismiss }: NoticeProps) {
  const area = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!text) return;
    // Use a popover, because the browser shows it above modals that were opened earlier.
    area.current?.showPopover();
    const timer = window.setTimeout(dismiss, shownMs);
    return () => {
      window.clearTimeout(timer);
      area.current?.hidePopover();
    };
  }, [text]);
  return (
    <div ref={area} class="notice" role="status" popover="manual">
      {text && (
        <>
          <span>{text}</span>
          <button type="button" aria-label="Dismiss" onClick={dismiss}>
            <Icon name="close" />
          </button>
        </>
      )}
    </div>
  );
}
