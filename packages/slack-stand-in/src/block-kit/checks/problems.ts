import { type Finding, writeFinding, writePointer } from './findings.ts';

/** A reason to refuse: Slack's error code and wording, the path, and the line for `response_metadata.messages`. */
export type Problem = { error: string; phrase: string; pointer: string; message: string };

export function toProblems(error: string, findings: readonly Finding[]): Problem[] {
  return findings.map((finding) => ({
    error,
    phrase: finding.phrase,
    pointer: writePointer(finding.path),
    message: writeFinding(finding),
  }));
}

export function problem(error: string, phrase: string, ...path: PropertyKey[]): Problem {
  return {
    error,
    phrase,
    pointer: writePointer(path),
    message: writeFinding({ phrase, path }),
  };
}
