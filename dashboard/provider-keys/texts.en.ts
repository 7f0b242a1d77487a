export const texts = {
  title: 'Provider keys',
  description:
    'The keys with which the gateway calls the providers of its tools. Stored keys are encrypted and never shown again. A change reaches every client within a second.',
  count: '{{set}} of {{all}} set',
  quota: 'Requests since midnight in Seoul: {{requests}}. Counted again from {{time}}.',
  tools_one: '{{count}} tool',
  tools_other: '{{count}} tools',
  datasets_one: '{{count}} dataset',
  datasets_other: '{{count}} datasets',
  empty: { title: 'No tool needs a key', text: 'None of the presets names a secret.' },
  origin: {
    environment: 'Set by the environment',
    stored: 'Set',
    sandbox: 'Sandbox',
    unreadable: 'Cannot be read',
    missing: 'Not set',
  },
  changed: {
    you: 'Changed <time/> by you',
    cli: 'Changed <time/> on the command line',
    person: 'Changed <time/> by {{by}}',
  },
  cannotStore: {
    title: 'Keys cannot be stored yet',
    text: 'This gateway has no encryption key. Make one, set it as ENCRYPTION_KEY, the same on every gateway of this database, and restart them. Keys of the environment work without it.',
    command: 'Make an encryption key',
  },
  notice: {
    environment:
      'The gateway takes this key from its environment, which wins over a stored one. To manage it here, store it, remove {{name}} from the environment and restart the gateway.',
    environmentStored:
      'A value is stored too, but the environment wins. Remove {{name}} from the environment and restart the gateway to use the stored one.',
    sandbox:
      'The sandbox accepts any value, so the tools work without this key. A key that you store here is used in its place.',
    unreadable:
      'A value is stored, but ENCRYPTION_KEY does not decrypt it. Restore the former encryption key, or set the key again.',
    unneeded: 'No preset needs this key any more. You can remove it.',
  },
  form: {
    title: 'Set the key',
    replace: 'Replace the key',
    value: 'Key',
    valueDescription: 'Paste it as the provider shows it. It is sent to the gateway only.',
    tool: 'Test with',
    toolDescription: 'One real call, recorded in the audit log of {{tenant}}.',
    test: 'Test',
    testInUse: 'Test the key in use',
    testValue: 'Test before saving',
    save: 'Save',
    saved: '{{name}} is set',
    savedText_one: 'Its tool can be called now.',
    savedText_other: 'Its {{count}} tools can be called now.',
    savedUnused: 'It is used once the environment no longer sets it.',
    remove: 'Remove',
    tooLong: 'A key has at most {{max}} characters.',
    control: 'The key contains a line break or another control character. Copy it again.',
  },
  remove: {
    title: 'Remove {{name}}?',
    text_one:
      'Calls of its tool fail until the key is set again. Data that was fetched with it stays in the cache until it expires.',
    text_other:
      'Calls of its {{count}} tools fail until the key is set again. Data that was fetched with it stays in the cache until it expires.',
    unused: 'The stored value is deleted. The gateway keeps using the key of its environment.',
    done: '{{name}} is removed',
  },
  source: {
    title: 'Where to get it',
    open: 'Open {{host}}',
    steps: {
      signUp: 'Sign in at the provider and apply for a key.',
      apply: 'Apply for every dataset that you want to use, with the same account.',
      copy: 'Copy the key, paste it here, and test it before you save it.',
    },
    dataset: 'Apply',
    datasetOf: 'Apply for {{name}}',
    datasets: 'Datasets and their tools',
    toolsOf: 'Tools that need it',
    filter: 'Filter by name',
    noMatch: 'No results',
  },
  readiness: {
    title: 'Datasets that the key can be used for',
    state: {
      works: 'Works',
      not_applied: 'Not applied for',
      propagating: 'Applied for, not active yet',
      wrong_key: 'Key not accepted',
      expired: 'Approval has ended',
      blocked: 'Key blocked',
      withdrawn: 'Withdrawn by the provider',
      exhausted: 'Quota used up today',
      unknown: 'Not known yet',
    },
  },
  quotaUse: {
    bar: 'Requests used today for {{name}}',
    used: '{{used}} requests today',
    left: '{{left}} of {{limit}} requests left',
    resets: 'resets',
    share: "This tenant's share: {{share}}, used {{used}}",
    tenants: 'Used by',
  },
  policy: {
    label: 'Tenants without an own key use this key',
    description: 'If not, each tenant brings its own, and calls of the others fail.',
  },
  origins: {
    title: 'Where registered APIs may send this key',
    description:
      'To the hosts of presets that need it, to those of data.go.kr, and to the origins that an admin allows.',
    waits: 'An API waits',
    allow: 'Allow',
    withdraw: 'Withdraw',
    other: 'Another origin',
    question: 'Send the key to this origin?',
    consequence:
      'Registered APIs of this tenant will send {{name}} to {{origin}}. Whoever runs that server can read the key.',
  },
  own: {
    title: 'Own provider keys',
    description:
      'The keys with which calls of this tenant reach the providers. A key of your own comes first: its quota and the data that it fetches are yours alone. It is encrypted and never shown again.',
    value: 'Own key',
    status: {
      own: 'Own key',
      unreadable: 'Own key cannot be read',
      shared: "Operator's key",
      missing: 'Not set',
    },
    meaning: {
      own: 'Calls send the key of this tenant.',
      unreadable: 'The key of this tenant cannot be decrypted. Calls fail until it is set again.',
      shared:
        "Calls send the operator's key, whose quota all tenants share. Set your own to use its quota instead.",
      missing: 'Calls fail until a key is set.',
    },
    remove: {
      shared: "Calls send the operator's key again, if it is set.",
      own: 'Calls fail until a key is set again, because the operator shares none.',
    },
  },
  test: {
    verdict: {
      works: 'The key works',
      key_invalid: 'The provider does not accept the key',
      key_blocked: 'The provider has suspended the key',
      key_expired: 'The period for which access was granted has ended',
      not_applied: 'The key is valid, but this dataset has not been applied for',
      address_refused: 'The provider does not accept the key from this address',
      quota_used_up: 'The key is valid, but the quota of the day is used up',
      withdrawn: 'The provider has withdrawn this operation',
      too_fast: 'Too many requests',
      upstream_unavailable: 'The provider does not respond correctly',
      unclear: 'The provider refused the call for another reason',
    },
    next: {
      works: 'The provider accepted it.',
      worksUnsaved: 'The provider accepted it. Save it now.',
      key_invalid:
        'Check that it was copied completely. A new key may take an hour until the provider knows it.',
      key_unknown:
        'The portal does not know the key for this dataset. Check that it was copied completely, and that the dataset has been applied for; a new key may take an hour. If another tool works, only this dataset is missing.',
      key_blocked: 'Ask the provider why.',
      key_expired: 'Extend it at the provider, then test again.',
      not_applied:
        'Apply for the dataset with the account of the key. Other datasets may work already: test with another tool.',
      address_refused: 'Register the address of the gateway at the provider.',
      quota_used_up: 'Wait until midnight in Korea, or request a higher quota from the provider.',
      withdrawn: 'This says nothing about the key. Update the preset, and test with another tool.',
      too_fast: 'Wait a minute, then test again.',
      upstream_unavailable: 'The key could not be tested. Test it again later.',
      unclear: 'Its response is in the audit log. Try another tool.',
    },
    apply: 'Apply for the dataset',
    called: 'Called {{tool}}',
    status: 'status {{status}}',
    code: 'result code {{code}}',
  },
} as const;
