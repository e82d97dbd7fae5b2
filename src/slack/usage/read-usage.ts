import type { Spending, SpendingReport } from '../../store/requests/spending.ts';
import type { RunViewer } from '../../store/requests/visible-requests.ts';
import type { KnownPeople, People } from '../people/people.ts';
import type { Rights } from '../people/rights.ts';
import type { ReadMessageLink } from '../posting/source-message.ts';
import type { UsageQuestion } from '../runs/usage-question.ts';

export type UsageDeps = {
  spending: Pick<Spending, 'report' | 'sum'>;
  rights: Pick<Rights, 'denySee' | 'isAdmin'>;
  people: Pick<People, 'look'>;
  readMessageLink: ReadMessageLink;
};

/** Usage as one person can see it. */
export type Usage = {
  question: UsageQuestion;
  report: SpendingReport;
  people: KnownPeople;
  /** Links to the messages of the most expensive runs, by request ID. */
  links: ReadonlyMap<string, string>;
  /**
   * Spending in conversations that the viewer can't see, in millionths of a US dollar. Only admins get it, and only as
   * one sum for everyone's runs. People, models and titles would show what others do in private.
   */
  hiddenMicros: number | undefined;
};

/** Max entries in each list of usage. More are summed in one. */
export const maxListed = 6;
const dayMs = 24 * 60 * 60_000;

/** Reads what the runs cost that the viewer can see. Returns a sentence for people who can't see runs. */
export async function readUsage(
  { spending, rights, people, readMessageLink }: UsageDeps,
  viewer: RunViewer,
  question: UsageQuestion,
): Promise<Usage | { denial: string }> {
  const denial = await rights.denySee(viewer);
  if (denial) return { denial };
  const { teamId, userId } = viewer;
  const { scope, days } = question;
  const since = Date.now() - days * dayMs;
  const report = await spending.report({
    viewer,
    creatorId: scope.of === 'me' ? userId : scope.of === 'person' ? scope.userId : undefined,
    channelId: scope.of === 'channel' ? scope.channelId : undefined,
    since,
  });
  const listed = report.byPerson.slice(0, maxListed).map(({ id }) => id);
  const [found, links] = await Promise.all([
    people.look([userId, ...listed]),
    Promise.all(report.mostExpensive.map((run) => readMessageLink(run, userId))),
  ]);
  const isForAll = scope.of === 'everyone' && (await rights.isAdmin(viewer, found.get(userId)));
  const all = isForAll ? await spending.sum(teamId, 'workspace', { since }) : undefined;
  return {
    question,
    report,
    people: found,
    links: new Map(
      report.mostExpensive.flatMap(({ id }, at) => {
        const link = links[at];
        return link ? [[id, link] as const] : [];
      }),
    ),
    hiddenMicros: all && Math.max(0, all.micros - report.micros),
  };
}
