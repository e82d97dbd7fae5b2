import { usePage } from '../state/page-context.ts';
import { renderDateToken } from './date-token.ts';
import { Link } from './link.tsx';

type DateTokenProps = {
  token: { seconds: number; format: string; link: string; fallback: string };
};

export function DateToken({ token }: DateTokenProps) {
  const { me, nowMs } = usePage();
  const text = renderDateToken(token, { timeZone: me.timeZone, nowMs });
  const full = new Date(token.seconds * 1_000);
  const isValid = Number.isFinite(full.getTime());
  const time = (
    <time dateTime={isValid ? full.toISOString() : ''} title={`${token.fallback}`}>
      {text}
    </time>
  );
  return token.link ? <Link url={token.link}>{time}</Link> : time;
}
