import { useEffect, useState } from 'preact/hooks';

const everyMs = 30_000;

/** The time, in milliseconds since 1970, as exact as "5 minutes ago" needs. */
export function useNow(): number {
  const [nowMs, setNowMs] = useState(() => Date.now());
  useEffect(() => {
    const timer = window.setTimeout(() => setNowMs(Date.now()), everyMs);
    return () => window.clearTimeout(timer);
  }, [nowMs]);
  return nowMs;
}
