import { useEffect, useState } from 'preact/hooks';

const everyMs = 30_000;

/** The time in epoch milliseconds, exact enough for "5 minutes ago". */
export function useNow(): number {
  const [nowMs, setNowMs] = useState(() => Date.now());
  useEffect(() => {
    const timer = window.setTimeout(() => setNowMs(Date.now()), everyMs);
    return () => window.clearTimeout(timer);
  }, [nowMs]);
  return nowMs;
}
