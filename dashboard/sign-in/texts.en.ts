export const texts = {
  title: 'Sign in',
  description: 'Sign in with the account that was invited.',
  email: 'Email',
  password: 'Password',
  or: 'or',
  provider: 'Continue with your organisation',
  wrong: 'The email address or the password is wrong.',
  tooMany: 'Too many wrong passwords. Wait a minute and try again.',
  providerFailed:
    'Your organisation did not sign you in. Ask an administrator of the gateway whether your email address was invited.',
  forgotten: 'Forgot your password? An operator of the gateway can reset it.',
  join: {
    title: 'Join {{tenant}}',
    description: 'You have been invited as {{role}}.',
    role: { admin: 'an admin', viewer: 'a viewer' },
    accountText:
      'Enter the password of your account. If you have no account yet, choose a password to create one.',
    signedInText: 'You are signed in as {{email}}.',
    name: 'Your name',
    nameText: 'For a new account only. If you leave it empty, your email address is shown.',
    rule: '12 to 128 characters',
    wrong:
      '{{email}} has an account with another password. Enter that password or, if the account is not yours, ask an operator of the gateway.',
    submit: 'Join',
    invalidTitle: 'This invitation cannot be used',
    invalidText: 'It was used, has expired or was withdrawn. Ask for a new one.',
    toSignIn: 'Go to the sign-in page',
  },
} as const;
