import type { z } from 'zod';
import { phrases, typePhrases } from '../phrases.ts';

/** A problem and the path to it from the root of the checked value. */
export type Finding = { phrase: string; path: readonly PropertyKey[] };

/** Max number of problems to list. Slack lists many, but a hostile message mustn't cause a huge response. */
const maxFindings = 20;

/** Checks `value` with `schema`. Returns problems in Slack's wording, with paths that start with `base`. */
export function findFaults(
  schema: z.ZodType,
  value: unknown,
  base: readonly PropertyKey[] = [],
): Finding[] {
  const result = schema.safeParse(value, { reportInput: true });
  if (result.success) return [];
  const found: Finding[] = [];
  for (const issue of result.error.issues) {
    if (found.length >= maxFindings) break;
    found.push(...readIssue(issue, base));
  }
  return found.slice(0, maxFindings);
}

/** Formats a finding as in Slack's `response_metadata.messages`. */
export function writeFinding({ phrase, path }: Finding): string {
  return `[ERROR] ${phrase} [json-pointer:${writePointer(path)}]`;
}

/** Formats a path as a JSON pointer (RFC 6901). */
function writePointer(path: readonly PropertyKey[]): string {
  return path.map((step) => `/${String(step).replace(/~/g, '~0').replace(/\//g, '~1')}`).join('');
}

type Issue = z.core.$ZodIssue;

function readIssue(issue: Issue, base: readonly PropertyKey[]): Finding[] {
  const path = [...base, ...issue.path];
  const missing = readMissing(issue);
  if (missing !== undefined) {
    return [{ phrase: phrases.missing(missing), path: path.slice(0, -1) }];
  }
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.slice(0, maxFindings).map((key) => ({ phrase: phrases.unknown(key), path }));
  }
  return [{ phrase: readPhrase(issue), path }];
}

/** Returns the name of the missing field. Undefined if the issue is another problem. */
function readMissing(issue: Issue): string | undefined {
  const field = issue.path.at(-1);
  if (typeof field !== 'string' || issue.code === 'custom') return undefined;
  // Read `type` from the whole object, which zod reports as the input for an unknown `type`.
  const value = issue.code === 'invalid_union' ? readType(issue.input) : issue.input;
  return value === undefined ? field : undefined;
}

function readPhrase(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return typePhrases[issue.expected] ?? phrases.notOfSchema;
    case 'invalid_value':
      return issue.path.at(-1) === 'type' ? sayType(issue.input) : phrases.notInEnum;
    case 'invalid_union':
      return sayType(readType(issue.input));
    case 'too_big':
      return issue.origin === 'array'
        ? phrases.tooMany(Number(issue.maximum))
        : phrases.tooBig(issue.maximum);
    case 'too_small':
      return issue.origin === 'array'
        ? phrases.tooFew(Number(issue.minimum))
        : phrases.tooSmall(issue.minimum);
    default:
      return issue.message;
  }
}

function readType(input: unknown): unknown {
  return typeof input === 'object' && input !== null && 'type' in input ? input.type : undefined;
}

function sayType(type: unknown): string {
  return typeof type === 'string' ? phrases.unsupported(type) : 'must provide a string';
}

/**
 * A reason to reject content. It contains Slack's error code and wording, the path, and the line for
 * `response_metadata.messages`.
 */
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
