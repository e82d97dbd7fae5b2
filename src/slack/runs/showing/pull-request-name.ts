import { shownText } from 'base/secrets/mask-secrets';
import type { PullRequestData } from 'runs-client/publication';

/** Path of a pull request, such as `/acme/shop/pull/12`. */
const address = /^\/(.+?)\/(?:-\/)?(?:pull|merge_requests)\/(\d+)\/?$/;

function readAddress(url: string | null | undefined) {
  if (!url || !URL.canParse(url)) return {};
  const [, repository, number] = address.exec(new URL(url).pathname) ?? [];
  return { repository, number };
}

/**
 * Returns the name of a pull request, such as `acme/shop#12`. Without a number, returns the title, branch or address.
 */
export function pullRequestName({ url, branch, title }: PullRequestData): string {
  const { repository, number } = readAddress(url);
  return number ? `${repository}#${number}` : shownText(title || branch || url || 'unnamed');
}

/** Returns a short name, such as `PR #12`. Without a number, returns `PR` and the name of the pull request. */
export function shortPullRequestName(data: PullRequestData): string {
  const number = data.number ?? readAddress(data.url).number;
  return number ? `PR #${number}` : `PR ${pullRequestName(data)}`;
}
