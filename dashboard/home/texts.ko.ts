export const texts = {
  title: 'Tool Gateway',
  claim: '공공데이터를 프로그램과 언어 모델의 도구로',
  lead: '주소 하나와 키 하나로 한국과 세계의 날씨, 경제, 문화 데이터를 사용하세요. MCP와 JSON-RPC를 지원하고, 캐시와 사용량 제한, 모든 호출의 기록을 제공합니다.',
  browse: '도구 둘러보기',
  toSignIn: '대시보드에 로그인',
  example: '한 번의 호출, 그리고 같은 호출',
  figures: { tools: '도구', apis: '데이터 서비스' },
  find: {
    title: '도구 찾기',
    label: '공개 도구 검색',
    placeholder: '환율, 미세먼지, 부산 축제 …',
    nothing: '도구를 찾지 못했습니다. 다른 단어로 검색해 보세요.',
    all_other: '도구 {{count}}개 모두 보기',
  },
  connect: {
    title: 'Claude, ChatGPT, 직접 만든 프로그램 연결하기',
    signIn: '호스트에 이 주소를 입력하고, 안내에 따라 로그인하세요. 키가 필요 없습니다.',
    key: '호스트나 프로그램에 이 주소와 API 키를 입력하세요.',
    address: 'MCP 주소',
  },
  key: {
    title: '키를 받는 방법',
    join: {
      title: '테넌트에 참여하기',
      text: '관리자가 링크로 초대합니다. 새 게이트웨이의 운영자는 처음 시작할 때 표시된 계정으로 로그인합니다.',
    },
    create: {
      title: '키 만들기',
      text: '설정에서 이름과 사용할 도구, 한도를 정합니다. 키는 한 번만 표시됩니다.',
    },
    call: {
      title: '게이트웨이 호출하기',
      text: 'curl, SDK, MCP 클라이언트 어디서든 요청마다 키를 함께 보내세요.',
    },
    example: 'curl로 도구 목록 보기',
  },
};
