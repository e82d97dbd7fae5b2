/** Selects an item by number, so each test run has the same answers. */
export const pick = <Item>(items: readonly Item[], number: number): Item =>
  items[number % items.length] as Item;

export const times = <Item>(count: number, make: (index: number) => Item): Item[] =>
  Array.from({ length: count }, (_, index) => make(index));

export const files = [
  'src/checkout/apply-discount.ts',
  'src/checkout/cart-total.ts',
  'services/billing/invoice_writer.py',
  'services/billing/tests/test_invoice_writer.py',
  'cmd/gateway/main.go',
  'internal/auth/session_store.go',
  'web/components/OrderTable.tsx',
  'web/hooks/use-orders.ts',
  'infra/terraform/modules/queue/main.tf',
  'db/migrations/0142_add_order_state.sql',
  'app/models/subscription.rb',
  'packages/api-client/src/retry.ts',
] as const;

export const findings = [
  [
    'The discount is applied twice when a cart is merged',
    'mergeCarts() copies `discounts` and then calls applyDiscount() for each line again.',
  ],
  [
    'Sessions survive a password change',
    '`SessionStore.Rotate` deletes by token hash, but tokens issued before v2.3 are stored unhashed.',
  ],
  [
    'A retry can charge a card a second time',
    'The idempotency key is created inside the retry loop, so every attempt has a new one.',
  ],
  ['The index is never used', 'The query compares `lower(email)` while the index is on `email`.'],
  [
    'Time zones are lost on export',
    '`strftime("%Y-%m-%d")` runs on naive datetimes, so orders after 22:00 UTC move to the next day.',
  ],
  [
    'The goroutine leaks when the client disconnects',
    'Nothing reads from `results` after `ctx.Done()`, so the sender blocks forever.',
  ],
  [
    'The table re-renders on every keystroke',
    '`columns` is a new array on each render, which invalidates the memoized rows.',
  ],
  [
    'The queue has no dead-letter target',
    '`maxReceiveCount` is set, but `deadLetterTargetArn` is empty in staging and production.',
  ],
] as const;

export const tests = [
  'applies a percentage discount once',
  'keeps the order of line items',
  'rejects an expired coupon',
  'retries a timeout with the same idempotency key',
  'writes invoices in the time zone of the customer',
  'closes the stream when the client goes away',
  'rotates sessions after a password change',
] as const;

export const services = [
  'checkout',
  'billing',
  'gateway',
  'search',
  'notifications',
  'identity',
  'catalog',
  'shipping',
] as const;

export const code = [
  '```ts\nexport function cartTotal(lines: Line[]): Money {\n  return lines.reduce((sum, { price, quantity }) => sum.add(price.times(quantity)), Money.zero);\n}\n```',
  '```python\ndef write_invoice(order: Order, tz: ZoneInfo) -> Invoice:\n    issued = order.closed_at.astimezone(tz)\n    return Invoice(number=next_number(), issued=issued.date(), lines=order.lines)\n```',
  '```go\nselect {\ncase results <- item:\ncase <-ctx.Done():\n\treturn ctx.Err()\n}\n```',
  '```sql\nCREATE INDEX CONCURRENTLY users_email_lower ON users (lower(email));\n```',
] as const;

export const table = (heads: readonly string[], rows: readonly (readonly unknown[])[]): string =>
  [heads, heads.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
