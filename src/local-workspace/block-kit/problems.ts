import { type Finding, writeFinding } from './findings.ts';

/** One reason to refuse: Slack's error code, and the line for `response_metadata.messages`. */
export type Problem = { error: string; message: string };

export function toProblems(error: string, findings: readonly Finding[]): Problem[] {
  return findings.map((finding) => ({ error, message: writeFinding(finding) }));
}

export function problem(error: string, phrase: string, ...path: PropertyKey[]): Problem {
  return { error, message: writeFinding({ phrase, path }) };
}
