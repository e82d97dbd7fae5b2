import { z } from 'zod';
import { readArgument } from '../arguments.ts';
import { textField } from '../fields.ts';
import { findFaults } from './findings.ts';
import { type Problem, problem, toProblems } from './problems.ts';

/** Message metadata. The payload is free. */
const metadata = z.looseObject({
  event_type: textField({ min_length: 1, max_length: 255 }),
  event_payload: z.record(z.string(), z.unknown()),
});

export function findMetadataProblems(value: unknown): Problem[] {
  const argument = readArgument(value);
  if (!argument || typeof argument.value !== 'object' || argument.value === null) {
    return [problem('invalid_metadata_format', 'must provide an object', 'metadata')];
  }
  return toProblems('invalid_metadata_schema', findFaults(metadata, argument.value, ['metadata']));
}
