import { useCallback, useState } from 'preact/hooks';
import type { Confirm } from '../blocks/block-types.ts';

/** One question at a time. `confirm` resolves with the answer. */
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
