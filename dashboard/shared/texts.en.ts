export const texts = {
  error: {
    unreachable: 'The gateway does not answer. Check your connection and try again.',
    retry: 'Try again',
    request: 'Request {{requestId}}',
  },
  outcome: {
    ok: 'Successful',
    caller: 'Caller error',
    upstream: 'Upstream error',
    gateway: 'Gateway error',
  },
  sample: {
    label: 'Made-up data',
    hint: 'The sandbox has made these data up. They say nothing about the world.',
  },
  copy: { label: 'Copy', of: 'Copy: {{label}}', done: 'Copied' },
  confirm: { cancel: 'Cancel', type: 'Type {{typed}} to confirm' },
  secret: { warning: 'Copy it now. It cannot be shown again.' },
  table: {
    previous: 'Previous page',
    next: 'Next page',
    page: 'Page {{page}}',
    loading: 'Loading',
  },
  chart: {
    showTable: 'Show as a table',
    showChart: 'Show as a chart',
    time: 'Time',
    empty: 'Nothing in this time',
    brush: 'Drag across the chart to choose a time.',
  },
  json: {
    more_one: 'Show {{count, number}} more',
    more_other: 'Show {{count, number}} more',
    wholeText: 'Show all {{size}} of this text',
    items_one: '{{count, number}} item',
    items_other: '{{count, number}} items',
    members_one: '{{count, number}} member',
    members_other: '{{count, number}} members',
    cut: 'Only the first {{shown}} of {{size}} are shown. Download the whole to see the rest.',
  },
} as const;
