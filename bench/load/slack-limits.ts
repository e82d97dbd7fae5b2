/** Enforces Slack's limits for a compressed day. https://docs.slack.dev/apis/web-api/rate-limits */
const tiers = { two: 20, three: 50, four: 100, special: 600 };
const { two, three, four, special } = tiers;

/** Calls a minute in one workspace; `chat.postMessage` is one a second in each channel. */
const perMinuteOf: Record<string, number> = {
  'auth.test': special,
  'users.info': four,
  'users.conversations': three,
  'conversations.info': three,
  'conversations.members': four,
  'conversations.open': three,
  'conversations.history': three,
  'conversations.replies': three,
  'chat.postMessage': 60,
  'chat.postEphemeral': four,
  'chat.update': three,
  'chat.delete': three,
  'reactions.add': three,
  'reactions.remove': two,
  'agents.sessions.setStatus': three,
  'agents.sessions.rename': three,
  'views.open': four,
  'views.update': four,
  'views.publish': four,
};
const postBurst = 3;

/** Factor for longer bursts, because the bot works in rounds of about a second that aren't compressed. */
export const timesBurst = 10;

export function createSlackLimits(factor: number) {
  const buckets = new Map<string, { tokens: number; at: number }>();

  function perMinute(method: string): number {
    const allowed = perMinuteOf[method];
    if (allowed === undefined) throw new Error(`The model of Slack doesn't know ${method}`);
    return allowed;
  }

  return {
    perMinute,
    /** Returns false if Slack would answer 429. */
    take(method: string, channelId: string): boolean {
      const isPost = method === 'chat.postMessage';
      const allowed = perMinute(method);
      const most = (isPost ? postBurst : allowed) * timesBurst;
      const key = isPost ? `${method} ${channelId}` : method;
      const now = performance.now();
      const bucket = buckets.get(key) ?? { tokens: most, at: now };
      const gained = ((now - bucket.at) / 60_000) * allowed * factor;
      const tokens = Math.min(most, bucket.tokens + gained);
      buckets.set(key, { tokens: tokens < 1 ? tokens : tokens - 1, at: now });
      return tokens >= 1;
    },
  };
}
