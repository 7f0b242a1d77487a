export const texts = {
  title: '공용 인증키',
  description:
    '게이트웨이가 도구의 데이터 제공 기관을 호출할 때 쓰는 인증키입니다. 저장된 인증키는 암호화되며 다시 표시되지 않습니다. 변경 사항은 1초 안에 모든 클라이언트에 반영됩니다.',
  count: '{{all}}개 중 {{set}}개 설정됨',
  quota: '오늘 0시(한국 시간) 이후 요청 {{requests}}건. {{time}}에 초기화됩니다.',
  tools_other: '도구 {{count}}개',
  datasets_other: '데이터셋 {{count}}개',
  empty: { title: '인증키가 필요한 도구가 없습니다', text: '인증키를 사용하는 프리셋이 없습니다.' },
  origin: {
    environment: '환경 변수로 설정됨',
    sandbox: '샌드박스',
  },
  changed: {
    you: '<time/> 내가 변경',
    cli: '<time/> 명령줄에서 변경',
    person: '<time/> {{by}} 님이 변경',
  },
  cannotStore: {
    title: '아직 인증키를 저장할 수 없습니다',
    text: '이 게이트웨이에는 암호화 키가 없습니다. 암호화 키를 만들어 이 데이터베이스를 쓰는 모든 게이트웨이에 같은 값의 ENCRYPTION_KEY로 설정하고 다시 시작하세요. 환경 변수로 설정한 인증키는 그대로 쓸 수 있습니다.',
    command: '암호화 키 만들기',
  },
  notice: {
    environment:
      '게이트웨이가 이 인증키를 환경 변수에서 가져오며, 환경 변수가 저장된 값보다 우선합니다. 여기서 관리하려면 인증키를 저장하고, 환경 변수에서 {{name}}을(를) 지운 뒤 게이트웨이를 다시 시작하세요.',
    environmentStored:
      '값이 저장되어 있지만 환경 변수가 우선합니다. 저장된 값을 쓰려면 환경 변수에서 {{name}}을(를) 지우고 게이트웨이를 다시 시작하세요.',
    sandbox:
      '샌드박스는 어떤 값이든 받아들이므로 인증키 없이도 도구가 동작합니다. 여기에 저장하면 저장된 인증키를 사용합니다.',
    unneeded: '이 인증키가 필요한 프리셋이 더는 없습니다. 삭제해도 됩니다.',
  },
  form: {
    title: '인증키 설정',
    replace: '인증키 교체',
    value: '인증키',
    valueDescription: '제공 기관에 표시된 그대로 붙여 넣으세요. 게이트웨이에만 전송됩니다.',
    tool: '테스트할 도구',
    toolDescription: '실제로 한 번 호출하며 {{tenant}}의 감사 로그에 기록됩니다.',
    test: '테스트',
    testInUse: '사용 중인 인증키 테스트',
    testValue: '저장 전에 테스트',
    save: '저장',
    saved: '{{name}} 인증키를 설정했습니다',
    savedText_other: '이제 도구 {{count}}개를 호출할 수 있습니다.',
    savedUnused: '환경 변수에서 지우면 사용됩니다.',
    remove: '삭제',
    tooLong: '인증키는 최대 {{max}}자입니다.',
    control: '인증키에 줄 바꿈 등 제어 문자가 있습니다. 다시 복사하세요.',
  },
  remove: {
    title: '{{name}} 인증키를 삭제할까요?',
    text_other:
      '인증키를 다시 설정할 때까지 도구 {{count}}개의 호출이 실패합니다. 이 인증키로 가져온 데이터는 만료될 때까지 캐시에 남습니다.',
    unused: '저장된 값을 삭제합니다. 게이트웨이는 환경 변수의 인증키를 계속 사용합니다.',
    done: '{{name}} 인증키를 삭제했습니다',
  },
  source: {
    title: '발급 방법',
    open: '{{host}} 열기',
    steps: {
      signUp: '제공 기관에 로그인하여 인증키를 신청하세요.',
      apply: '같은 계정으로, 사용할 데이터셋마다 활용신청을 하세요.',
      copy: '인증키를 복사해 여기에 붙여 넣고, 저장하기 전에 테스트하세요.',
    },
  },
  state: {
    missing: '설정 안 됨',
    unreadable: '읽을 수 없음',
    wrong_key: '인증키 거부됨',
    blocked: '인증키 차단됨',
    expired: '활용기간 만료',
    not_applied: '활용신청 승인 필요',
    exhausted: '할당량 소진',
    withdrawn: '제공 기관이 폐기함',
    propagating: '승인 반영 대기',
    works: '정상',
    unknown: '아직 테스트 안 함',
  },
  partial: {
    wrong_key: '데이터셋 {{all}}개 중 {{count}}개 인증키 거부됨',
    blocked: '데이터셋 {{all}}개 중 {{count}}개 차단됨',
    expired: '데이터셋 {{all}}개 중 {{count}}개 활용기간 만료',
    not_applied: '데이터셋 {{all}}개 중 {{count}}개 승인 필요',
    exhausted: '데이터셋 {{all}}개 중 {{count}}개 할당량 소진',
    withdrawn: '데이터셋 {{all}}개 중 {{count}}개 폐기됨',
    propagating: '데이터셋 {{all}}개 중 {{count}}개 승인 반영 대기',
  },
  advice: {
    borrowed: '운영자에게 공용 인증키를 확인해 달라고 요청하거나, 여기에 우리 인증키를 설정하세요.',
    unreadable: '인증키를 다시 설정하거나, 저장할 때 쓴 ENCRYPTION_KEY를 복원하세요.',
    wrong_key:
      '인증키를 빠짐없이 복사했는지 확인하고 다시 설정하세요. 새 인증키는 제공 기관에 등록되기까지 한 시간쯤 걸릴 수 있습니다.',
    blocked:
      '제공 기관에 차단 사유를 문의하세요. 게이트웨이의 주소가 거부된 경우에는 제공 기관에 주소를 등록하세요.',
    expired: '제공 기관에서 활용기간을 연장한 뒤 다시 테스트하세요.',
    not_applied:
      '인증키와 같은 계정으로, 승인되지 않은 데이터셋마다 제공 기관에 활용신청을 하세요.',
    exhausted: '할당량이 초기화될 때까지 기다리거나 제공 기관에 할당량 증가를 신청하세요.',
    withdrawn: '인증키 때문이 아닙니다. 제공 기관이 기능을 폐기했으니 프리셋을 갱신하세요.',
    propagating: '제공 기관에 승인이 반영될 때까지 기다리세요. 최대 72시간이 걸립니다.',
  },
  evidence: '제공 기관의 응답:',
  datasetList: {
    title: '데이터셋과 도구',
    filter: '이름으로 찾기',
    noMatch: '결과 없음',
    apply: '활용신청',
    applyFor: '{{name}} 활용신청',
  },
  quotaUse: {
    bar: '오늘 사용한 요청: {{name}}',
    used: '오늘 요청 {{used}}건',
    left: '요청 {{limit}}건 중 {{left}}건 남음',
    resets: '초기화:',
    share: '이 테넌트의 몫 {{share}}건, 사용 {{used}}건',
    tenants: '사용한 테넌트:',
  },
  policy: {
    label: '인증키가 없는 테넌트도 이 인증키를 사용',
    description: '끄면 테넌트마다 인증키가 필요하며, 없는 테넌트의 호출은 실패합니다.',
  },
  origins: {
    title: '등록한 API가 이 인증키를 보낼 수 있는 주소',
    description:
      '이 인증키가 필요한 프리셋의 호스트, data.go.kr의 호스트, 관리자가 허용한 주소로만 보냅니다.',
    waits: 'API 대기 중',
    allow: '허용',
    withdraw: '허용 취소',
    withdrawn: '등록한 API가 더는 {{origin}}(으)로 인증키를 보내지 않습니다.',
    other: '다른 주소',
    invalid: 'https://api.example.com과 같은 주소를 입력하세요.',
    question: '이 주소로 인증키를 보낼까요?',
    consequence:
      '이 테넌트가 등록한 API가 {{name}} 인증키를 {{origin}}(으)로 보냅니다. 그 서버의 운영자는 인증키를 읽을 수 있습니다.',
  },
  own: {
    title: '우리 인증키',
    description:
      '이 테넌트의 호출이 제공 기관에 보내는 인증키입니다. 여기에 설정한 인증키가 먼저 사용되며, 그 할당량과 가져온 데이터는 이 테넌트만 사용합니다. 인증키는 암호화되며 다시 표시되지 않습니다.',
    holder: { tenant: '우리 인증키', operator: '공용 인증키' },
    meaning: {
      tenant: '호출할 때 이 테넌트의 인증키를 보냅니다.',
      operator:
        '호출할 때 운영자의 공용 인증키를 보내며, 모든 테넌트가 그 할당량을 나누어 씁니다. 우리 인증키를 설정하면 그 할당량을 사용합니다.',
      missing: '인증키를 설정할 때까지 호출이 실패합니다.',
    },
    remove: {
      shared: '공용 인증키가 설정되어 있으면 다시 그 인증키를 보냅니다.',
      own: '운영자가 인증키를 공유하지 않으므로, 인증키를 다시 설정할 때까지 호출이 실패합니다.',
    },
  },
  test: {
    verdict: {
      works: '인증키가 정상입니다',
      key_invalid: '제공 기관이 인증키를 거부했습니다',
      key_blocked: '제공 기관이 인증키를 정지했습니다',
      key_expired: '활용기간이 만료되었습니다',
      not_applied: '인증키는 유효하지만 이 데이터셋은 활용신청이 되어 있지 않습니다',
      address_refused: '제공 기관이 이 주소에서 보낸 인증키를 거부했습니다',
      quota_used_up: '인증키는 유효하지만 오늘의 할당량을 모두 썼습니다',
      withdrawn: '제공 기관이 이 기능을 폐기했습니다',
      too_fast: '요청이 너무 많습니다',
      upstream_unavailable: '제공 기관이 제대로 응답하지 않습니다',
      unclear: '제공 기관이 다른 이유로 호출을 거부했습니다',
    },
    next: {
      works: '제공 기관이 인증키를 받아들였습니다.',
      worksUnsaved: '제공 기관이 인증키를 받아들였습니다. 이제 저장하세요.',
      key_invalid:
        '인증키를 빠짐없이 복사했는지 확인하세요. 새 인증키는 제공 기관에 등록되기까지 한 시간쯤 걸릴 수 있습니다.',
      key_unknown:
        '포털이 이 데이터셋에서 인증키를 알지 못합니다. 인증키를 빠짐없이 복사했는지, 데이터셋 활용신청이 되었는지 확인하세요. 새 인증키는 한 시간쯤 걸릴 수 있습니다. 다른 도구가 동작하면 이 데이터셋만 신청하면 됩니다.',
      key_blocked: '제공 기관에 사유를 문의하세요.',
      key_expired: '제공 기관에서 활용기간을 연장한 뒤 다시 테스트하세요.',
      not_applied:
        '인증키와 같은 계정으로 데이터셋 활용신청을 하세요. 다른 데이터셋은 이미 동작할 수 있으니 다른 도구로 테스트해 보세요.',
      address_refused: '제공 기관에 게이트웨이의 주소를 등록하세요.',
      quota_used_up: '한국 시간 자정까지 기다리거나 제공 기관에 할당량 증가를 신청하세요.',
      withdrawn: '인증키 때문이 아닙니다. 프리셋을 갱신하고 다른 도구로 테스트하세요.',
      too_fast: '1분 뒤에 다시 테스트하세요.',
      upstream_unavailable: '인증키를 테스트할 수 없습니다. 나중에 다시 테스트하세요.',
      unclear: '응답은 감사 로그에 있습니다. 다른 도구로 테스트해 보세요.',
    },
    called: '{{tool}} 호출',
    status: 'HTTP {{status}}',
    code: '결과 코드 {{code}}',
  },
};
