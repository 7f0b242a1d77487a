/** Official names of the provinces, today's and former ones, with the other names that people use. */
const PROVINCES: Readonly<Record<string, string>> = {
  서울특별시: '서울 서울시 seoul',
  부산광역시: '부산 부산시 busan pusan',
  대구광역시: '대구 대구시 daegu taegu',
  인천광역시: '인천 인천시 incheon inchon',
  광주광역시: '광주 gwangju kwangju',
  대전광역시: '대전 대전시 daejeon taejon',
  울산광역시: '울산 울산시 ulsan',
  세종특별자치시: '세종 세종시 sejong',
  경기도: '경기 gyeonggi gyeonggido kyonggi',
  강원특별자치도: '강원 강원도 gangwon gangwondo kangwon',
  강원도: '강원 gangwon gangwondo kangwon',
  충청북도: '충북 chungbuk northchungcheong',
  충청남도: '충남 chungnam southchungcheong',
  전라북도: '전북 jeonbuk northjeolla',
  전북특별자치도: '전북 전라북도 jeonbuk jeonbukdo jeollabukdo northjeolla',
  전북자치도: '전북 전라북도 jeonbuk',
  전라남도: '전남 jeonnam southjeolla',
  전남광주통합특별시: '전남광주 jeonnamgwangju',
  경상북도: '경북 gyeongbuk northgyeongsang',
  경상남도: '경남 gyeongnam southgyeongsang',
  제주특별자치도: '제주 제주도 jeju jejudo cheju',
  제주도: '제주 jeju jejudo cheju',
};

const ALIASES: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries(PROVINCES).map(([name, aliases]) => [name, aliases.split(' ')]),
);

/** Other names of a province; none if the word is not the official name of one. */
export const provinceAliases = (name: string): readonly string[] => ALIASES.get(name) ?? [];

/** Official names, today's and former ones, of the provinces that a word names. */
export const provincesNamed = (word: string): string[] =>
  [...ALIASES]
    .filter(([name, aliases]) => name === word || aliases.includes(word))
    .map(([name]) => name);
