import type { RefObject } from 'preact';
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { ViewJson } from '../../page-server/page-entry.ts';
import type { Touched } from '../../page-server/page-protocol.ts';
import { Blocks } from '../blocks/blocks.tsx';
import { IconButton } from '../icon.tsx';
import { type Entries, entryOf } from '../state/entries.ts';
import { usePage } from '../state/page-context.ts';
import { SurfaceProvider } from '../state/surface.tsx';
import { PlainText } from '../text/mrkdwn.tsx';
import { useDialog } from './use-dialog.ts';

/** Shows the top modal of a stack. Lower modals stay mounted, so that they keep the entered values. */
export function ModalStack({ entries }: { entries: Entries }) {
  const views = entryOf(entries, 'modals', 'modals')?.views ?? [];
  return (
    <>
      {views.map((view, index) => (
        <Modal key={view.id} view={view} isTop={index === views.length - 1} isStacked={index > 0} />
      ))}
    </>
  );
}

type ModalProps = { view: ViewJson; isTop: boolean; isStacked: boolean };
type Errors = Record<string, string>;

function Modal({ view, isTop, isStacked }: ModalProps) {
  const { perform } = usePage();
  const dialog = useDialog();
  const touched = useRef<Touched>({});
  const [isBusy, setBusy] = useState(false);
  const [errors, setErrors] = useState<Errors>({});
  const surface = useMemo(() => ({ kind: 'view' as const, viewId: view.id }), [view.id]);
  const title = `title-${view.id}`;

  useLayoutEffect(() => focusFirst(dialog.current), []);
  useKeptFocus(dialog, { blocks: view.blocks, isTop });
  // Move the focus in the same frame in which the errors appear. A later move would interrupt a person who is
  // already typing.
  useLayoutEffect(() => {
    if (Object.keys(errors).length > 0) focusWrong(dialog.current);
  }, [errors]);

  const submit = async () => {
    if (isBusy) return;
    setBusy(true);
    const answer = await perform({ type: 'submit', viewId: view.id, touched: touched.current });
    setErrors(answer.ok ? (answer.fieldErrors ?? {}) : {});
    setBusy(false);
  };
  const close = (everything: boolean) =>
    void perform({ type: 'close', viewId: view.id, everything });

  return (
    <dialog
      ref={dialog}
      class={`modal${isTop ? '' : ' is-below'}`}
      aria-labelledby={title}
      data-view={view.id}
      onCancel={(event) => {
        event.preventDefault();
        // Close only on the dialog's own cancel event, because a file chooser in the modal also sends this event.
        if (event.target === event.currentTarget) close(false);
      }}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
          event.preventDefault();
          if (view.submit) void submit();
        }}
        noValidate
      >
        <header class="modal-header">
          {isStacked && <IconButton icon="back" label="Back" onClick={() => close(false)} />}
          <h2 id={title}>
            <PlainText text={view.title?.text ?? ''} />
          </h2>
          <IconButton icon="close" label="Close" onClick={() => close(isStacked)} />
        </header>
        <div class="modal-body">
          <SurfaceProvider
            surface={surface}
            fieldErrors={errors}
            onTouch={(next) => {
              touched.current = next;
            }}
          >
            <Blocks blocks={view.blocks} />
          </SurfaceProvider>
        </div>
        <footer class="modal-footer">
          {view.submit && (
            <button type="button" class="button" onClick={() => close(false)}>
              <PlainText text={view.close?.text ?? 'Cancel'} />
            </button>
          )}
          {view.submit ? (
            <button type="submit" class="button button-primary" aria-busy={isBusy}>
              <PlainText text={view.submit.text} />
            </button>
          ) : (
            <button type="button" class="button" onClick={() => close(false)}>
              <PlainText text={view.close?.text ?? 'Close'} />
            </button>
          )}
        </footer>
      </form>
    </dialog>
  );
}

/**
 * Focuses the element with `focus_on_load`. Without one, focuses the first input. If there are no inputs, the browser
 * focuses the first control.
 */
function focusFirst(dialog: HTMLElement | null): void {
  const preferred = dialog?.querySelector<HTMLElement>('.modal-body [autofocus]');
  const first = dialog?.querySelector<HTMLElement>(
    '.modal-body :is(input, textarea, .select-button, .chips-open)',
  );
  (preferred ?? first)?.focus();
}

/**
 * Focuses the first field with an error, and scrolls to the whole field. The browser would only scroll to its control.
 */
function focusWrong(dialog: HTMLElement | null): void {
  const field = dialog?.querySelector<HTMLElement>('.has-error');
  field
    ?.querySelector<HTMLElement>(':is(input, textarea, button, [contenteditable])')
    ?.focus({ preventScroll: true });
  field?.scrollIntoView({ block: 'nearest' });
  // Scroll to the error, because a field that is taller than the modal may hide it.
  field?.querySelector('.field-error')?.scrollIntoView({ block: 'nearest' });
}

const controls = ':is(input, textarea, button, a[href])';

/** Keeps the focus in the modal. If an update removes the focused control, focuses the control that replaces it. */
function useKeptFocus(
  dialog: RefObject<HTMLDialogElement | null>,
  { blocks, isTop }: { blocks: unknown[]; isTop: boolean },
): void {
  const lastIndex = useRef(0);

  useLayoutEffect(() => {
    const noteBlock = ({ target }: FocusEvent) => {
      const block = target instanceof Element && target.closest('.modal-body > .blocks > *');
      if (block) lastIndex.current = [...(block.parentElement?.children ?? [])].indexOf(block);
    };
    const element = dialog.current;
    element?.addEventListener('focusin', noteBlock);
    return () => element?.removeEventListener('focusin', noteBlock);
  }, []);

  useLayoutEffect(() => {
    const element = dialog.current;
    if (!isTop || !element || element.contains(document.activeElement)) return;
    const shown = [...element.querySelectorAll('.modal-body > .blocks > *')];
    const from = shown.slice(lastIndex.current).concat(shown.slice(0, lastIndex.current).reverse());
    const control = from.map((block) => block.querySelector<HTMLElement>(controls)).find(Boolean);
    control?.focus();
  }, [blocks]);
}
