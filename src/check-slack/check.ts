import type { AppScopes } from '../config/app-scopes.ts';
import type { Fields } from '../slack/connection/deliveries/delivery-address.ts';
import type { CallSlack } from './call-slack.ts';
import type { Done, Person } from './person.ts';
import type { SlackRecord } from './record.ts';

export type Outcome = 'as assumed' | 'differs' | 'not decided';

/** Result of one check: an assumption about Slack, and whether it's true. */
export type Finding = {
  assumption: string;
  outcome: Outcome;
  /** Description of Slack's behavior. Contains no names, messages or tokens, because people share the report. */
  said: string;
  /** Consequence for the app if Slack's behavior differs. */
  means?: string;
};

export type CheckContext = {
  /** Calls Slack with the bot token. Returns Slack's errors instead of throwing them. */
  call: CallSlack;
  record: SlackRecord;
  person: Person;
  /** Answer of `auth.test`, and the granted scopes. */
  identity: { answer: Fields; granted: readonly string[] };
  /** Scopes that the manifest requests. */
  scopes: AppScopes;
  /** Channel that the app is in. Checks post messages there, which are deleted after the checks. */
  channel: string;
  channelName: string;
  /** Domain of session links. The manifest lists it in `unfurl_domains`. */
  linkDomain: string;
  /** Starts the bot unless it was already started. Returns `ok`, or the reason why it didn't start. */
  startBot(): Promise<string>;
  /** Max time to wait for a delivery from Slack, in ms. */
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

/** Creates a finding. `holds` is undefined if the check couldn't decide. */
export function judge(assumption: string, { holds, said, means }: Judged): Finding {
  if (holds === undefined) return { assumption, outcome: 'not decided', said };
  if (holds) return { assumption, outcome: 'as assumed', said };
  return { assumption, outcome: 'differs', said, means };
}

type Watched<T> = {
  /**
   * Returns true if the delivery confirms the assumption, and undefined if it's unclear. By default, any delivery
   * confirms it.
   */
  holds?(seen: T): boolean | undefined;
  said(seen: T): string;
  missing: string;
  means: string;
};

/** Creates a finding from the delivery that a person's action caused. */
export function judgeDone<T>(
  assumption: string,
  done: Done<T>,
  { holds = () => true, said, missing, means }: Watched<T>,
): Finding {
  if (done === 'skipped') return judge(assumption, { holds: undefined, said: done, means });
  if (done === 'missing') return judge(assumption, { holds: false, said: missing, means });
  return judge(assumption, { holds: holds(done.seen), said: said(done.seen), means });
}

/** Creates a finding from a person's yes or no. `expected` is the answer if the assumption is true. */
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

/** Returns `ok` for a successful call. Otherwise returns Slack's error with its first two details. */
export function saidBy({ ok, error, errors, response_metadata: metadata }: Fields): string {
  if (ok === true) return 'ok';
  const { messages } = Object(metadata);
  const details = [errors, messages].flatMap((each) =>
    Array.isArray(each) ? each.map(String) : [],
  );
  return [String(error ?? 'no answer'), ...details.slice(0, 2)].join(': ');
}
