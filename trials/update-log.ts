import type { LocalWorkspace } from 'slack-stand-in';

type Update = { at: string; tookMs: number; text: unknown; answer: unknown };

/** Logs the updates of each message in the order in which the calls ended, as evidence if one shows a wrong state. */
export function logUpdates(workspace: LocalWorkspace) {
  const log = new Map<string, Update[]>();
  workspace.subscribe(({ type }) => {
    const last = type === 'traffic' ? workspace.traffic.recent().at(-1) : undefined;
    if (last?.name !== 'chat.update') return;
    const { at, durationMs: tookMs, answer } = last;
    const { ts, text }: Record<string, unknown> = { ...Object(last.request) };
    log.set(String(ts), [...(log.get(String(ts)) ?? []), { at, tookMs, text, answer }]);
  });
  return { updatesOf: (ts: string) => log.get(ts) ?? [] };
}
