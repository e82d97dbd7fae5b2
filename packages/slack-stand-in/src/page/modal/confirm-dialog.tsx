import { useCallback, useState } from 'preact/hooks';
import type { Confirm } from '../blocks/block-types.ts';
import { Text } from '../blocks/objects.tsx';
import { useDialog } from './use-dialog.ts';

type ConfirmDialogProps = { question: Confirm; answer: (yes: boolean) => void };

export function ConfirmDialog({ question, answer }: ConfirmDialogProps) {
  const dialog = useDialog();
  const style = question.style === 'danger' ? 'button-danger' : 'button-primary';
  return (
    <dialog
      ref={dialog}
      class="modal confirm"
      aria-labelledby="confirm-title"
      onCancel={(event) => {
        event.preventDefault();
        answer(false);
      }}
    >
      <h2 id="confirm-title">
        {question.title ? <Text text={question.title} /> : 'Are you sure?'}
      </h2>
      <p>
        <Text text={question.text} />
      </p>
      <footer class="modal-footer">
        <button type="button" class="button" onClick={() => answer(false)}>
          {question.deny ? <Text text={question.deny} /> : 'Cancel'}
        </button>
        <button type="button" class={`button ${style}`} onClick={() => answer(true)}>
          {question.confirm ? <Text text={question.confirm} /> : 'Yes'}
        </button>
      </footer>
    </dialog>
  );
}

/**
 * Returns the open question of a confirmation dialog, and functions to ask and to answer. `confirm` resolves with the
 * answer.
 */
export function useConfirm() {
  const [pending, setPending] = useState<{ question: Confirm; settle: (yes: boolean) => void }>();
  const confirm = useCallback(
    (question: Confirm) =>
      new Promise<boolean>((settle) => {
        setPending({ question, settle });
      }),
    [],
  );
  const answer = (yes: boolean) => {
    pending?.settle(yes);
    setPending(undefined);
  };
  return { question: pending?.question, confirm, answer };
}
