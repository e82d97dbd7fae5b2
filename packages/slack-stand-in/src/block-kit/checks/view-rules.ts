import { z } from 'zod';
import type { Finding } from './findings.ts';

type Path = readonly PropertyKey[];

const input = z.looseObject({ type: z.literal('input') });

const container = z.looseObject({ child_blocks: z.array(z.unknown()) });

/** A modal with inputs needs a submit button. */
export function findInputsWithoutSubmit(blocks: readonly unknown[], base: Path): Finding[] {
  const phrase = 'must define `submit` to use an `input` block in modals';
  return blocks.flatMap((block, index) => {
    const inside = container.safeParse(block).data?.child_blocks;
    if (inside) return findInputsWithoutSubmit(inside, [...base, index, 'child_blocks']);
    return input.safeParse(block).success ? [{ phrase, path: [...base, index, 'input'] }] : [];
  });
}

/** Only one element of a view can have the initial focus. */
export function findFocusFaults(blocks: readonly unknown[], base: Path): Finding[] {
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
