/** Removes from texts everything that code hosts, CI services and issue trackers act on. */
import { readableLine } from 'base/readable-text';

/** Invisible. */
const wordJoiner = '\u2060';

const closingWord = String.raw`\b(?:clos|fix|resolv|implement|complet)(?:e|es|ed|s|ing)?\b`;
/** A closing word and the spaces before what it closes. GitLab looks for them in the source, in code too. */
const closingGap = new RegExp(
  String.raw`(${closingWord}:?\s+)(?=(?:issues?\s+)?(?:\S{0,200}#\d|GH-\d|[A-Z][A-Z0-9_]+-\d|https?:))`,
  'gi',
);
const closing = new RegExp(closingWord, 'i');

export const hasClosingWord = (text: string): boolean => closing.test(text);

/** `[skip ci]`, `[ci skip]`, `[no ci]`, `[skip actions]`, `[skip netlify]`. */
const skipTag = /\[([^[\]]{0,40}\b(?:skip|no[ _-]?ci)\b[^[\]]{0,40})\]/gi;
const azureSkipTag = /NO_CI/gi;

/** Checks run, whatever an agent wrote. */
export const withoutSkipTags = (text: string): string =>
  text.replace(skipTag, '($1)').replace(azureSkipTag, 'NO CI');

const acting: readonly RegExp[] = [
  // People and teams, email addresses that look like them, and a mark that what follows in bold could complete.
  /@(?:[\w-]|$)/,
  // Issues and merge requests, on the host or in Jira.
  /[#!&](?:\d|$)/,
  /\bGH-\d/i,
  /[A-Z][A-Z0-9_]+-\d/,
  // Quick actions of GitLab.
  /^\/[\w-]+$/,
  // Addresses, which hosts find in text too. A backslash in one escapes nothing.
  /www\./i,
  // Trailers of commits, when a pull request is squashed.
  /^[\w-]+-by\b/i,
  /^(?:skip-checks|release-as|change-id|run-id)\b/i,
];

/** Returns true for a word without spaces that a host would act on, or link to an issue, person or commit. */
export const isActing = (word: string): boolean => acting.some((pattern) => pattern.test(word));

/** Text in code, which hosts don't show as anything else. They still search its source. */
export const inertCode = (code: string): string =>
  withoutSkipTags(code)
    .replace(closingGap, `$1${wordJoiner}`)
    .replace(/^(?=\/[\w-]+(?:\s|$)|[\w-]+-by\s*:|skip-checks\s*:)/gim, ' ');

const hostsPage = /\/(?:issues|work_items|pulls?|merge_requests|epics|commits?|discussions)\//i;

/** Returns true for an address that hosts refer to, and close after a closing word. */
export const isReference = (url: string): boolean => hostsPage.test(`${decoded(url)}/`);

function decoded(url: string): string {
  // A single percent sign isn't an encoding.
  return url.replace(/%([0-7][0-9a-f])/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

/** Titles are shortened to less. */
const maxLine = 1_000;

/**
 * A title or the subject of a commit: one line, where nothing can be escaped. The marks that make a host act are left out,
 * so `fixes #1 @acme/team` becomes `fixes 1 acme/team`.
 */
export function plainLine(text: string): string {
  let line = readableLine(text.slice(0, maxLine));
  // Repeat it, because removing marks can join the parts of another mark.
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
