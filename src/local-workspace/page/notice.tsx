import { useEffect } from 'preact/hooks';

const shownMs = 8_000;

/** A refusal or problem in one sentence; it goes away by itself. */
export function Notice({ text, dismiss }: { text: string | undefined; dismiss: () => void }) {
  useEffect(() => {
    if (!text) return;
    const timer = window.setTimeout(dismiss, shownMs);
    return () => window.clearTimeout(timer);
  }, [text]);
  return (
    <div class="notice-area" role="status">
      {text && (
        <div class="notice">
          <span>{text}</span>
          <button type="button" aria-label="Dismiss" onClick={dismiss}>
            ✕
          </button>
        </div>
      )}
    </div>
  );
}
