/**
 * Finds what GitHub, GitLab and CI services would do because of a text. Written from their documentation and GitLab's
 * source, independently of the code that publishes texts.
 */
import { Marked } from 'marked';

const commands =
  'ready|draft|close|reopen|merge|approve|assign|reassign|label|unlabel|target_branch|title|tag|rebase|submit_review';

/** Matches GitLab's quick actions, also in places that GitLab skips, so it's stricter. */
const quickAction = new RegExp(String.raw`^/(?:${commands})(?:[ ][^\n]*)?\s*$`, 'gim');

/** GitLab's default `issue_closing_pattern`, which GitLab applies to the source of a text. */
const reference = String.raw`(?:https?://[^\s>]{1,300}|(?:[\w.-]+(?:/[\w.-]+)*)?#\d+)`;
const closingAtGitlab = new RegExp(
  String.raw`\b(?:[Cc]los(?:e[sd]?|ing)|[Ff]ix(?:e[sd]|ing)?|[Rr]esolv(?:e[sd]?|ing)|[Ii]mplement(?:s|ed|ing)?):? +(?:(?:issues? +)?${reference}|[A-Z][A-Z0-9_]+-\d+)`,
  'g',
);
/**
 * GitHub's closing words, as in
 * https://docs.github.com/en/issues/tracking-your-work-with-issues/linking-a-pull-request-to-an-issue
 */
const closingAtGithub =
  /\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?\s+(?:(?:[\w.-]+\/[\w.-]+)?#\d+|GH-\d+|https?:\/\/\S+\/(?:issues|pull)\/\d+)/gi;

const skipped =
  /\[(?:skip ci|ci skip|no ci|skip actions|actions skip|skip netlify)\]|\*\*\*NO_CI\*\*\*|^skip-checks:/gim;
const trailer = /^[\w-]+-by:.*/gim;
const smartCommit = /\b[A-Z][A-Z0-9_]+-\d+\b.*\s#\w+/g;
const mention = /(?<![\w/])@\w[\w-]*/g;

const all = (text: string, ...patterns: RegExp[]): string[] =>
  patterns.flatMap((pattern) => text.match(pattern) ?? []);

/** Returns the actions of a commit message. */
export const commitActions = (message: string): string[] =>
  all(message, closingAtGitlab, closingAtGithub, skipped, trailer, smartCommit, mention);

/** Returns the actions of a pull request's title, which becomes a commit's subject when it's squashed. */
export const titleActions = (title: string): string[] => [
  ...commitActions(title),
  ...all(title, /^\s*(?:draft:|\[draft\]|\(draft\))/gi, /\n/g),
];

const harmlessTags = 'p|h[1-6]|ul|ol|li|blockquote|pre|code|em|strong|del|hr|br|a|input';
const tableTags = 'table|thead|tbody|tr|th|td';
const otherTag = new RegExp(String.raw`<(?!/?(?:${harmlessTags}|${tableTags})[\s>/])[^>]*>`, 'g');

/**
 * Returns the actions of a pull request's description, in its source and as rendered. The source is also a squashed
 * commit's message.
 */
export function descriptionActions(source: string): string[] {
  const html = new Marked({ gfm: true }).parse(source, { async: false });
  const visible = html
    .replace(/<(code|a)\b[^>]*>[\s\S]*?<\/\1>/g, '\0')
    .replace(/<[^>]*>/g, '')
    .replace(/&(?:#64|commat);/g, '@')
    .replaceAll('&amp;', '&');
  return [
    ...all(source, quickAction, closingAtGitlab, closingAtGithub, skipped, trailer),
    ...all(visible, mention, closingAtGithub, /#\d+/g),
    ...all(html, otherTag, /href="(?!https?:)[^"]*"/g),
  ];
}
