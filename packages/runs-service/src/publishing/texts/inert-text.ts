/** Functions that remove from a text what code hosts, CI services and issue trackers act on. */
import { readableLine } from 'base/readable-text';

/** Invisible character that separates two words. */
const wordJoiner = '\u2060';

const closingWord = String.raw`\b(?:clos|fix|resolv|implement|complet)(?:e|es|ed|s|ing)?\b`;
/**
 * Matches a word such as "fixes" and the spaces after it, if a reference follows. GitLab closes issues after such
 * words, even in code.
 */
const closingGap = new RegExp(
  String.raw`(${closingWord}:?\s+)(?=(?:issues?\s+)?(?:\S{0,200}#\d|GH-\d|[A-Z][A-Z0-9_]+-\d|https?:))`,
  'gi',
);
const closing = new RegExp(closingWord, 'i');

export const hasClosingWord = (text: string): boolean => closing.test(text);

/** Matches `[skip ci]`, `[ci skip]`, `[no ci]`, `[skip actions]` and `[skip netlify]`. */
const skipTag = /\[([^[\]]{0,40}\b(?:skip|no[ _-]?ci)\b[^[\]]{0,40})\]/gi;
const azureSkipTag = /NO_CI/gi;

/** Removes tags that skip CI, so that checks always run. */
export const withoutSkipTags = (text: string): string =>
  text.replace(skipTag, '($1)').replace(azureSkipTag, 'NO CI');

const acting: readonly RegExp[] = [
  // Matches people, teams and email addresses. Also matches an `@` at the end, because bold text after it could
  // complete a name.
  /@(?:[\w-]|$)/,
  // Matches references to issues and merge requests, on the host or in Jira.
  /[#!&](?:\d|$)/,
  /\bGH-\d/i,
  /[A-Z][A-Z0-9_]+-\d/,
  // Matches quick actions of GitLab, such as `/merge`.
  /^\/[\w-]+$/,
  // Matches web addresses, because hosts link them in plain text, even after a backslash.
  /www\./i,
  // Matches commit trailers, which apply when a pull request is squashed.
  /^[\w-]+-by\b/i,
  /^(?:skip-checks|release-as|change-id|run-id)\b/i,
];

/** Returns true for a word that a host would act on, or link to an issue, person or commit. */
export const isActing = (word: string): boolean => acting.some((pattern) => pattern.test(word));

/** Removes from code what makes hosts act. Hosts show code unchanged, but search its source. */
export const inertCode = (code: string): string =>
  withoutSkipTags(code)
    .replace(closingGap, `$1${wordJoiner}`)
    .replace(/^(?=\/[\w-]+(?:\s|$)|[\w-]+-by\s*:|skip-checks\s*:)/gim, ' ');

const hostsPage = /\/(?:issues|work_items|pulls?|merge_requests|epics|commits?|discussions)\//i;

/**
 * Returns true for the address of an issue or a similar page. Hosts link such addresses. After a word such as "Fixes",
 * they also close the issue.
 */
export const isReference = (url: string): boolean => hostsPage.test(`${decoded(url)}/`);

function decoded(url: string): string {
  // Decode only complete percent codes, because a text can contain a single percent sign.
  return url.replace(/%([0-7][0-9a-f])/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

/** Max characters of a line to process. Titles are shortened further afterward. */
const maxLine = 1_000;

/**
 * Makes a title or a commit subject, which is one line. Removes marks that make a host act, because nothing can be
 * escaped there. `fixes #1 @acme/team` becomes `fixes 1 acme/team`.
 */
export function plainLine(text: string): string {
  let line = readableLine(text.slice(0, maxLine));
  // Repeat the removal until nothing changes, because removing marks can join the parts of another mark.
  for (let before = ''; before !== line; ) {
    before = line;
    line = withoutMarks(line);
  }
  return line;
}

function withoutMarks(text: string): string {
  const line = withoutSkipTags(text)
    .replace(/^(?:\s*(?:draft:|\[draft\]|\(draft\)|wip:|\[wip\]|\(wip\)))+\s*/i, '')
    .replace(/(?<!\w)@+(?=[\w-])/g, '')
    .replace(/(\w)#+(?=\d)/g, '$1 ')
    .replace(/#+(?=\w)/g, '')
    .replace(/!+(?=\d)/g, '')
    .replace(/\bhttps?:\/\//gi, '')
    .replace(/\b((?:\w+-)+by|skip-checks)\s*:/gi, '$1')
    .trim();
  return hasClosingWord(line) ? line.replace(/\b([A-Z][A-Z0-9_]+)-(?=\d)/gi, '$1 ') : line;
}
