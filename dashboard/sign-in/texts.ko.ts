export const texts = {
  title: '로그인',
  description: '초대받은 계정으로 로그인하세요.',
  email: '이메일',
  password: '비밀번호',
  or: '또는',
  provider: '조직 계정으로 계속',
  wrong: '이메일 또는 비밀번호가 올바르지 않습니다.',
  tooMany: '비밀번호를 너무 많이 틀렸습니다. 잠시 후 다시 시도하세요.',
  providerFailed:
    '조직 계정으로 로그인하지 못했습니다. 초대받은 이메일인지 게이트웨이 관리자에게 확인하세요.',
  forgotten: '비밀번호를 잊으셨나요? 게이트웨이 운영자가 재설정할 수 있습니다.',
  join: {
    title: '{{tenant}} 참여',
    description: '{{role}} 역할로 초대받았습니다.',
    role: { admin: '관리자', viewer: '뷰어' },
    accountText:
      '계정의 비밀번호를 입력하세요. 아직 계정이 없으면 비밀번호를 정해 계정을 만드세요.',
    signedInText: '{{email}} 계정으로 로그인되어 있습니다.',
    name: '이름',
    nameText: '새 계정에만 사용합니다. 입력하지 않으면 이메일이 표시됩니다.',
    rule: '12자 이상 128자 이하',
    wrong:
      '{{email}} 계정이 이미 있고 비밀번호가 다릅니다. 그 비밀번호를 입력하세요. 본인의 계정이 아니면 게이트웨이 운영자에게 문의하세요.',
    submit: '참여하기',
    invalidTitle: '사용할 수 없는 초대입니다',
    invalidText: '이미 사용했거나 만료되었거나 철회된 초대입니다. 새 초대를 요청하세요.',
    toSignIn: '로그인 화면으로',
  },
};
