/**
 * An abort signal in plain JavaScript. Node's own takes more time, and only a full garbage collection frees its
 * listeners.
 */
export class PlainAbortSignal extends EventTarget {
  aborted = false;
  reason: unknown;

  static any(signals: readonly PlainAbortSignal[]): PlainAbortSignal {
    const { signal, abort } = new PlainAbortController();
    for (const each of signals) {
      if (each.aborted) abort(each.reason);
      else each.addEventListener('abort', () => abort(each.reason), { once: true });
    }
    return signal;
  }

  throwIfAborted(): void {
    if (this.aborted) throw this.reason;
  }
}

export class PlainAbortController {
  readonly signal = new PlainAbortSignal();

  readonly abort = (reason: unknown = new DOMException('aborted', 'AbortError')): void => {
    const { signal } = this;
    if (signal.aborted) return;
    Object.assign(signal, { aborted: true, reason });
    signal.dispatchEvent(new Event('abort'));
  };
}
