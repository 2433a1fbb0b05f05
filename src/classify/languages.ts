/**
 * Verbs of tools in other languages than English, by the English verb that they mean: as they stand in names (infinitive) and at
 * the beginning of descriptions. Few on purpose: what is not here is a doubt, and a doubt is no READ.
 */
const WORDS: Readonly<Record<string, string>> = {
  get: `obtener obtiene recuperar recupera devuelve retorna obter obtém obtem devolve abrufen holen holt ruft liest récupérer récupère
    recuperer obtenir obtient renvoie retourne отримати отримує повертає otrymaty`,
  search: `buscar busca pesquisar pesquisa suchen sucht rechercher recherche chercher cherche шукати шукає знайти знаходить poshuk`,
  list: 'listar lista auflisten listet lister liste перелічує список',
  show: `mostrar muestra mostra exibir exibe anzeigen zeigt afficher affiche показати показує виводить`,
  query: 'consultar consulta abfragen consulter consulte',
  read: 'leer ler lê lesen lire читати читає',
  count: 'contar zählt compter compte',
  calculate: 'calcular calcula berechnen berechnet calculer calcule обчислює',
  create: `crear crea criar cria erstellen erstellt anlegen legt erzeugt créer creer crée створити створює stvoryty`,
  add: `agregar agrega añadir añade adicionar adiciona inserir insere hinzufügen hinzufuegen fügt ajouter ajoute додати додає dodaty`,
  save: 'guardar guarda salvar salva speichern speichert enregistrer enregistre sauvegarder зберегти зберігає',
  update: `actualizar actualiza atualizar atualiza aktualisieren aktualisiert оновити оновлює onovyty`,
  change: `cambiar cambia modificar modifica alterar altera ändern ändert aendern modifier modifie changer змінити змінює`,
  delete: `eliminar elimina borrar borra suprimir suprime excluir exclui apagar apaga löschen löscht loeschen entfernt entfernen
    supprimer supprime effacer efface видалити видаляє vydalyty`,
  send: `enviar envía envia senden sendet versenden versendet envoyer envoie надіслати надсилає відправляє nadislaty`,
  pay: 'transferir transfere transfiere überweist überweisen virer переказує',
  run: 'ejecutar ejecuta executar executa ausführen führt exécuter exécute виконати виконує запускає',
};

const LEMMAS: ReadonlyMap<string, string> = new Map(
  Object.entries(WORDS).flatMap(([lemma, forms]) =>
    forms
      .trim()
      .split(/\s+/)
      .map((form) => [form, lemma] as const),
  ),
);

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
