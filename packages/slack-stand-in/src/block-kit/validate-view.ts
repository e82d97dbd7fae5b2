import { z } from 'zod';
import { readArgument } from './arguments.ts';
import { findBlockFaults, findNameFaults } from './checks/block-checks.ts';
import { type Finding, findFaults, type Problem, problem, toProblems } from './checks/findings.ts';
import { part, textField } from './fields.ts';
import { limits } from './limits.ts';
import { phrases } from './phrases.ts';
import { plainText } from './text-objects.ts';

type ViewType = 'modal' | 'home';

/** Size limit of a view. The documentation of views.open says "250kb", which the stand-in reads as 250,000 bytes. */
const maxViewBytes = 250_000;

const shared = {
  // Accept any blocks here, because they're checked later for the view's surface.
  blocks: z.array(z.unknown()),
  private_metadata: textField(limits.view.private_metadata).optional(),
  callback_id: textField(limits.view.callback_id).optional(),
  external_id: textField(limits.view.external_id).optional(),
};

const modalView = part('modal', {
  ...shared,
  title: plainText(limits.view.title),
  close: plainText(limits.view.close).optional(),
  submit: plainText(limits.view.submit).optional(),
  clear_on_close: z.boolean().optional(),
  notify_on_close: z.boolean().optional(),
});

const homeView = part('home', shared);

const anyView = z.discriminatedUnion('type', [modalView, homeView]);

const outline = z.looseObject({ type: z.enum(['modal', 'home']), blocks: z.array(z.unknown()) });

const base = ['view'];

/** Returns the problems for which Slack would reject a view. `types` are the view types that the method allows. */
export function validateView(
  view: unknown,
  { types = ['modal', 'home'] }: { types?: readonly ViewType[] } = {},
): Problem[] {
  const argument = readArgument(view);
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

type Path = readonly PropertyKey[];

const input = z.looseObject({ type: z.literal('input') });

const container = z.looseObject({ child_blocks: z.array(z.unknown()) });

/** Finds inputs in a modal without a submit button, because Slack requires one for inputs. */
function findInputsWithoutSubmit(blocks: readonly unknown[], base: Path): Finding[] {
  const phrase = 'must define `submit` to use an `input` block in modals';
  return blocks.flatMap((block, index) => {
    const inside = container.safeParse(block).data?.child_blocks;
    if (inside) return findInputsWithoutSubmit(inside, [...base, index, 'child_blocks']);
    return input.safeParse(block).success ? [{ phrase, path: [...base, index, 'input'] }] : [];
  });
}

/** Finds elements with `focus_on_load` if a view has more than one. */
function findFocusFaults(blocks: readonly unknown[], base: Path): Finding[] {
  const focused = blocks.flatMap((block, index) => listFocused(block, [...base, index]));
  return focused
    .slice(1)
    .map((path) => ({ phrase: 'only one element may set `focus_on_load`', path }));
}

const focusing = z.looseObject({
  focus_on_load: z.boolean().optional(),
  element: z.unknown().optional(),
  accessory: z.unknown().optional(),
  elements: z.array(z.unknown()).optional(),
  child_blocks: z.array(z.unknown()).optional(),
});

function listFocused(value: unknown, path: Path): Path[] {
  const { data } = focusing.safeParse(value);
  if (!data) return [];
  const inner: [unknown, Path][] = [
    [data.element, [...path, 'element']],
    [data.accessory, [...path, 'accessory']],
    ...list(data.elements, [...path, 'elements']),
    ...list(data.child_blocks, [...path, 'child_blocks']),
  ];
  const own = data.focus_on_load === true ? [[...path, 'focus_on_load']] : [];
  return [...own, ...inner.flatMap(([each, at]) => listFocused(each, at))];
}

const list = (items: readonly unknown[] | undefined, path: Path): [unknown, Path][] =>
  (items ?? []).map((item, index) => [item, [...path, index]]);
