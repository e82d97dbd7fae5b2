import type { AppScopes } from '../config/app-scopes.ts';
import type { Fields } from '../slack/connection/deliveries/delivery-address.ts';
import type { CallSlack } from './call-slack.ts';
import type { Done, Person } from './person.ts';
import type { SlackRecord } from './record.ts';

export type Outcome = 'as assumed' | 'differs' | 'not decided';

/** Something about Slack that the app relies on, and what Slack did. */
export type Finding = {
  assumption: string;
  outcome: Outcome;
  /** In words of our own and Slack's codes: no names, texts of people, or tokens. */
  said: string;
  /** For the app, if it differs. */
  means?: string;
};

export type CheckContext = {
  /** With the bot token. Never throws for what Slack refuses. */
  call: CallSlack;
  record: SlackRecord;
  person: Person;
  /** Slack's answer about the token, and the granted scopes. */
  identity: { answer: Fields; granted: readonly string[] };
  /** Scopes of the manifest. */
  scopes: AppScopes;
  /** A channel with the app, for messages that are deleted afterwards. */
  channel: string;
  /** Name of that channel, for the terminal. */
  channelName: string;
  /** In the manifest's `unfurl_domains`, and that of session links. */
  linkDomain: string;
  /** Starts the bot once. @returns `ok`, or why it didn't start */
  startBot(): Promise<string>;
  /** Time to wait for messages that should come automatically, in ms. */
  patienceMs: number;
  signal: AbortSignal;
};

export type Check = {
  id: string;
  title: string;
  needs: 'nothing' | 'person';
  run(context: CheckContext): AsyncGenerator<Finding>;
};

type Judged = { holds: boolean | undefined; said: string; means: string };

/** `holds`: undefined if nobody knows. */
export function judge(assumption: string, { holds, said, means }: Judged): Finding {
  if (holds === undefined) return { assumption, outcome: 'not decided', said };
  if (holds) return { assumption, outcome: 'as assumed', said };
  return { assumption, outcome: 'differs', said, means };
}

type Watched<T> = {
  /** True by default: it's enough that it came. */
  holds?(seen: T): boolean | undefined;
  said(seen: T): string;
  missing: string;
  means: string;
};

/** Judges what the app saw of something that a person did. */
export function judgeDone<T>(
  assumption: string,
  done: Done<T>,
  { holds = () => true, said, missing, means }: Watched<T>,
): Finding {
  if (done === 'skipped') return judge(assumption, { holds: undefined, said: done, means });
  if (done === 'missing') return judge(assumption, { holds: false, said: missing, means });
  return judge(assumption, { holds: holds(done.seen), said: said(done.seen), means });
}

/** Judges what a person saw; `expected` is the answer of a Slack that's as assumed. */
export function judgeSeen(
  assumption: string,
  answer: boolean | undefined,
  { expected = true, means }: { expected?: boolean; means: string },
): Finding {
  const said = answer === undefined ? 'skipped' : answer ? 'a person says yes' : 'a person says no';
  return judge(assumption, {
    holds: answer === undefined ? undefined : answer === expected,
    said,
    means,
  });
}

/** `ok`, or Slack's error with what it says about it. */
export function saidBy({ ok, error, errors, response_metadata: metadata }: Fields): string {
  if (ok === true) return 'ok';
  const { messages } = Object(metadata);
  const details = [errors, messages].flatMap((each) =>
    Array.isArray(each) ? each.map(String) : [],
  );
  return [String(error ?? 'no answer'), ...details.slice(0, 2)].join(': ');
}
