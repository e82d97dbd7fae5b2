import { z } from 'zod';
import { readArgument } from './arguments.ts';
import { findBlockFaults, findNameFaults } from './checks/block-faults.ts';
import { type Finding, findFaults } from './checks/findings.ts';
import { type Problem, problem, toProblems } from './checks/problems.ts';
import { findFocusFaults, findInputsWithoutSubmit } from './checks/view-rules.ts';
import { limits } from './limits.ts';
import { phrases } from './phrases.ts';
import { homeView, modalView } from './views.ts';

export type ViewType = 'modal' | 'home';

/** "250kb" in the documentation of views.open, read as 250,000. */
const maxViewBytes = 250_000;

const anyView = z.discriminatedUnion('type', [modalView, homeView]);

const outline = z.looseObject({ type: z.enum(['modal', 'home']), blocks: z.array(z.unknown()) });

const base = ['view'];

/** Why Slack would refuse this view; empty if it wouldn't. `types` are those that the method allows. */
export function validateView(
  given: unknown,
  { types = ['modal', 'home'] }: { types?: readonly ViewType[] } = {},
): Problem[] {
  const argument = readArgument(given);
  if (!argument) return [problem('invalid_arguments', 'must provide an object', ...base)];
  const faults = findViewFaults(argument.value, types);
  if (faults.length > 0) {
    return toProblems('invalid_arguments', [
      { phrase: phrases.notOfSchema, path: base },
      ...faults,
    ]);
  }
  const bytes = Buffer.byteLength(JSON.stringify(argument.value));
  return bytes > maxViewBytes
    ? [problem('view_too_large', `must be less than ${maxViewBytes + 1} bytes`, ...base)]
    : [];
}

function findViewFaults(value: unknown, types: readonly ViewType[]): Finding[] {
  const own = findFaults(anyView, value, base);
  const { data } = outline.safeParse(value);
  if (!data) return own;
  const { type, blocks } = data;
  if (!types.includes(type))
    return [{ phrase: phrases.unsupported(type), path: [...base, 'type'] }];
  const path = [...base, 'blocks'];
  const { min_items: least, max_items: most } = limits.view.blocks;
  const faults = [...own, ...findBlockFaults(blocks, { surface: type, least, most, base: path })];
  if (faults.length > 0) return faults;
  return [
    ...findNameFaults(blocks, { base: path }),
    ...findFocusFaults(blocks, path),
    ...(type === 'modal' && data['submit'] === undefined
      ? findInputsWithoutSubmit(blocks, path)
      : []),
  ];
}
