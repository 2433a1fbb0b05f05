import { FOREIGN_VERBS } from './foreign-verbs.js';

const LEMMAS: ReadonlyMap<string, string> = new Map(
  Object.entries(FOREIGN_VERBS).flatMap(([lemma, forms]) =>
    forms
      .trim()
      .split(/\s+/)
      .map((form) => [form, lemma] as const),
  ),
);

/** Words that a question begins with: what it asks for is answered. */
const QUESTIONS: ReadonlySet<string> = new Set(
  `cuánto cuánta cuántos cuántas cuanto cuantos cuál cuáles qué quién quiénes dónde cuándo cómo quanto quanta quantos quantas qual quais
    quem onde quando combien quel quelle quels quelles où quand qui comment wie wer wo wann welche welcher welches wieviel wieviele wohin
    quali chi dove`.split(/\s+/),
);

/** Nouns for information that a description in another language begins with: "Estado de un pedido", "Liste des clients". */
const INFORMATION: ReadonlySet<string> = new Set(
  `lista listado estado historial historia saldo precio precios tarifa tarifas horario horarios detalle detalles datos información resumen
    estadística estadísticas número cantidad existencias unidades ventas citas pedidos clientes productos facturas ficha disponibilidad
    previsión pronóstico temperatura calendario informe ubicación fecha fechas valor total importe stock tiempo nombre lugares
    estatísticas preço preços histórico informações dados resumo quantidade vendas consultas encomendas faturas previsão relatório
    état historique solde prix tarifs horaires horaire détails données résumé statistiques nombre quantité ventes rendez-vous commandes
    clients produits factures fiche disponibilité disponibilités prévision prévisions météo calendrier rapport date dates valeur position
    heures heure température durée niveau niveaux stocks places
    verlauf kontostand preis preise öffnungszeiten einzelheiten daten zusammenfassung statistik statistiken anzahl zahl menge bestand
    bestände verkäufe termine aufträge kunden produkte rechnungen verfügbarkeit vorhersage wetter wetterbericht temperatur temperaturen
    zustand kalender bericht standort datum wert werte übersicht liste details stand status füllstand füllstände messwerte zeiten
    stato storico prezzo prezzi orari orario dettagli dati riepilogo statistiche numero quantità vendite appuntamenti ordini
    fatture disponibilità previsioni rapporto`.split(/\s+/),
);

/** Function words of those languages; none of them is one of English. */
const FUNCTION_WORDS =
  /^(?:de|del|du|des|der|die|das|dem|den|einer|eines|einem|einen|ein|eine|un|une|una|uno|um|uma|la|las|los|les|le|lo|el|il|gli|dei|della|delle|degli|do|da|dos|das|em|en|por|para|pour|par|sur|dans|avec|con|com|mit|im|vom|zum|zur|für|von|nach|und|et|y|ou|oder|que|se|su|sus|ses|leur|ihre|seine)$/;
const ARTICLES =
  /^(?:der|die|das|dem|den|einer|eines|einem|einen|ein|eine|un|une|una|uno|um|uma|la|las|los|les|el|il|gli|del|des|du)$/;

/** Whether a word stands before a noun, so that what follows it is no verb. */
export const isForeignArticle = (word: string | undefined): boolean => word !== undefined && ARTICLES.test(word);

/** Whether a word is one that joins others in those languages, and none of English. */
export const isForeignWord = (word: string): boolean => FOREIGN_ONLY.test(word);
const FOREIGN_ONLY =
  /^(?:de|del|du|des|der|das|dem|den|einer|eines|einem|einen|ein|eine|une|una|uno|um|uma|la|las|los|les|gli|della|em|por|para|pour|par|sur|dans|avec|mit|im|vom|zum|zur|für|von|nach|und|et|y|ou|oder|que)$/;

const MOST_WORDS = 14;

/** The word with which a sentence in another language asks or names information; undefined where it may do something. */
export function findForeignInformation(tokens: readonly string[]): string | undefined {
  const [first = '', second, ...rest] = tokens;
  if (
    tokens.length > MOST_WORDS ||
    [second, ...rest].some((token) => token !== undefined && translateVerb(token) !== undefined)
  )
    return undefined;
  const foreign = tokens.some((token) => FUNCTION_WORDS.test(token)) || !isPlain(first);
  if (QUESTIONS.has(first) && foreign && second !== undefined) return first;
  if ((first === 'lo' || first === 'ce') && (second === 'que' || second === "qu'il")) return first;
  const named = INFORMATION.has(first) && (second === undefined || FUNCTION_WORDS.test(second) || !isPlain(first));
  return named && (foreign || second === undefined) ? first : undefined;
}

/** Verbs of languages that write words without spaces, Japanese ones in the form of nouns. */
const SCRIPTS: Readonly<Record<string, string>> = {
  search: '查询 查詢 搜索 搜尋 检索 查找 検索',
  get: '获取 獲取 取得 读取 返回',
  list: '列出 列举 一覧',
  show: '查看 显示 顯示 表示',
  calculate: '计算 計算 路径规划 路徑規劃',
  convert: '转换 轉換',
  locate: '定位',
  create: '创建 新建 建立 生成 作成',
  add: '添加 新增 插入 追加 登録',
  update: '更新',
  change: '修改 编辑 变更 設定 设置 変更 編集',
  delete: '删除 刪除 移除 清空 清除 削除 消去',
  send: '发送 發送 发布 推送 送信 投稿',
  run: '执行 运行 執行 実行 启动 停止 重启',
};

const IN_SCRIPT: readonly (readonly [string, string])[] = Object.entries(SCRIPTS).flatMap(([lemma, forms]) =>
  forms.split(' ').map((form) => [form, lemma] as const),
);

const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;

/** Whether a text has only the letters of English; most texts do, and need no slower patterns. */
export function isPlain(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) if (text.charCodeAt(index) > 0x7f) return false;
  return true;
}

/** The English verb that a word of another language means; undefined where it is none that is known. */
export function translateVerb(word: string): string | undefined {
  return LEMMAS.get(word);
}

/** The English verbs of all verbs in a word or sentence of a language that writes no spaces, in their order. */
export function findUnspacedVerbs(text: string): readonly string[] {
  if (isPlain(text) || !UNSPACED.test(text)) return [];
  const found = IN_SCRIPT.flatMap(([form, lemma]) => {
    const at = text.indexOf(form);
    return at < 0 ? [] : [{ at, lemma }];
  });
  return found.sort((a, b) => a.at - b.at).map(({ lemma }) => lemma);
}
