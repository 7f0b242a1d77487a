export const texts = {
  error: {
    unreachable: '게이트웨이가 응답하지 않습니다. 연결을 확인하고 다시 시도하세요.',
    retry: '다시 시도',
    request: '요청 {{requestId}}',
  },
  outcome: {
    ok: '성공',
    caller: '호출자 오류',
    upstream: '업스트림 오류',
    gateway: '게이트웨이 오류',
  },
  sample: {
    label: '가상 데이터',
    hint: '샌드박스가 만들어 낸 데이터이며 실제와 다릅니다.',
  },
  copy: { label: '복사', of: '{{label}} 복사', done: '복사됨' },
  confirm: { cancel: '취소', type: '확인하려면 {{typed}} 을(를) 입력하세요' },
  secret: { warning: '지금 복사해 두세요. 다시는 볼 수 없습니다.' },
  table: {
    previous: '이전 페이지',
    next: '다음 페이지',
    page: '{{page}}쪽',
    loading: '불러오는 중',
  },
  chart: {
    showTable: '표로 보기',
    showChart: '차트로 보기',
    time: '시각',
    empty: '이 기간에는 자료가 없습니다',
    brush: '차트 위를 끌어 기간을 선택하세요.',
  },
  json: {
    more_other: '{{count, number}}개 더 보기',
    wholeText: '이 텍스트 {{size}} 전체 보기',
    items_other: '{{count, number}}개 항목',
    members_other: '{{count, number}}개 멤버',
    cut: '{{size}} 중 처음 {{shown}}만 표시했습니다. 전체는 내려받아 확인하세요.',
  },
};
