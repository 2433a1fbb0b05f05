/**
 * Verbs of tools in Spanish, Portuguese, French, Italian, German and Ukrainian, by the English verb that they mean: as they stand in
 * names (infinitive) and at the beginning of descriptions (third person). A form that is also a common English word is not here
 * ("active", "note"), and neither is one that is mostly a noun.
 */
const FOREIGN_VERBS: Readonly<Record<string, string>> = {
  get: `obtener obtiene recuperar recupera devuelve retorna obter obtém obtem devolve abrufen holen holt ruft récupérer récupère
    recuperer recupere obtenir obtient renvoie retourne ottenere ottiene restituisce отримати отримує повертає otrymaty`,
  search: `buscar busca pesquisar pesquisa suchen sucht rechercher recherche chercher cherche cercare ricercare шукати шукає знайти
    знаходить poshuk`,
  find: 'encontrar encuentra encontra finden findet trouver trouve trovare trova',
  list: 'listar lista auflisten listet lister liste elencare elenca enumera перелічує список',
  show: `mostrar muestra mostra exibir exibe anzeigen zeigt afficher affiche montrer montre visualizza показати показує
    виводить`,
  query: 'consultar consulta abfragen consulte interroge interroga',
  read: 'leer lee ler lê lesen liest lire leggere legge читати читає',
  view: 'ansehen visualizar visionner',
  count: 'contar cuenta zählen zählt compter compte contare conta',
  compare: 'comparar compara vergleichen vergleicht confrontare confronta',
  verify: `verificar verifica comprobar comprueba prüfen prüft pruefen überprüfen überprüft vérifier vérifie verificare
    contrôle controlla valider valide validar`,
  analyze: 'analizar analiza analisar analisa analysieren analysiert analizzare',
  summarize: 'resumir zusammenfassen fasst résumer résume riassumere riassume',
  translate: 'traducir traduce traduzir traduz übersetzen übersetzt traduire traduit tradurre',
  convert: 'convertir convierte converte umwandeln umrechnen rechnet convertit convertire',
  calculate: `calcular calcula berechnen berechnet calculer calcule calcolare calcola обчислює`,
  estimate: 'estimar schätzen schätzt estimer stimare',
  predict: 'predecir predice prever prevê vorhersagen prédire prédit prevedere',
  suggest: 'sugerir sugiere sugere vorschlagen schlägt suggérer suggère suggerire',
  recommend: 'recomendar recomienda recomenda empfehlen empfiehlt recommander recommande consigliare',
  download: 'descargar descarga baixar herunterladen télécharger télécharge scaricare scarica',
  export: 'exportar exportiert exportieren exporte esportare',
  create: `crear crea criar cria erstellen erstellt anlegen legt erzeugt créer creer crée creare створити створює stvoryty`,
  generate: 'generar genera gerar gera generieren generiert générer génère generare',
  register: ` registra anmelden meldet erfassen erfasst inscribir inscribe inscrire inscrit enregistrer enregistre
    eintragen trägt apuntar apunta anotar anota consigner consigne registrare annotare`,
  reserve: 'reservar reserva reservieren reserviert réserver réserve buchen bucht prenotare prenota',
  import: 'importar importa importieren importiert importare',
  upload: 'subir sube hochladen lädt téléverser téléverse caricare carica ',
  add: `agregar agrega añadir añade anadir adicionar adiciona inserir insere insertar inserta hinzufügen hinzufuegen fügt ajouter ajoute
    aggiungere aggiunge inserire inserisce додати додає dodaty`,
  save: 'guardar guarda salvar salva speichern speichert sauvegarder sauvegarde salvare зберегти зберігає',
  update: `actualizar actualiza atualizar atualiza aktualisieren aktualisiert mettre aggiornare aggiorna оновити оновлює onovyty`,
  change: `cambiar cambia modificar modifica alterar altera ändern ändert aendern modifie changer modificare cambiare
    editar edita bearbeiten bearbeitet змінити змінює`,
  set: 'fijar fija ajustar ajusta configurar configura definir einstellen stellt setzen setzt festlegen régler règle définir définit impostare imposta',
  move: 'mueve verschieben verschiebt déplacer déplace spostare sposta',
  rename: 'renombrar renombra renomear umbenennen renommer rinominare',
  mark: 'marcar markieren markiert marquer segnare',
  assign: 'asignar asigna atribuir atribui zuweisen weist attribuer attribue assegnare',
  approve: 'aprobar aprueba aprovar aprova genehmigen genehmigt freigeben gibt approuver approuve approvare',
  reject: 'rechazar rechaza rejeitar rejeita ablehnen lehnt refuser rejeter rejette rifiutare',
  accept: 'aceptar acepta aceitar aceita annehmen nimmt accepter accepte accettare',
  confirm: 'confirmar confirma bestätigen bestätigt confirmer confirme confermare',
  enable:
    'activar activa ativar ativa aktivieren aktiviert einschalten activer attivare encender enciende ligar allumer allume',
  disable:
    'desactivar desactiva desativar desativa deaktivieren deaktiviert ausschalten abschalten désactiver désactive desligar éteindre éteint',
  block: 'bloquear bloquea bloqueia sperren sperrt bloquer bloque bloccare',
  open: 'abrir abre öffnen öffnet oeffnen ouvrir ouvre aprire apre',
  close: 'cerrar cierra fechar fecha schließen schließt schliessen schliesst fermer chiudere chiude',
  switch: 'schalten schaltet umschalten',
  delete: `eliminar elimina borrar borra suprimir suprime excluir exclui apagar apaga löschen löscht loeschen entfernt entfernen
    supprimer supprime effacer efface eliminare cancellare quitar quita sacar retirar retira retirer retire ausschließen ausschliessen
    streichen streicht perdonar видалити видаляє vydalyty`,
  empty: 'vaciar vacía esvaziar esvazia leeren leert vider svuotare svuota',
  discard: 'descartar descarta verwerfen verwirft entsorgen entsorgt jeter jette abandonner',
  destroy: 'destruir destruye vernichten vernichtet détruire détruit distruggere',
  reset: 'reiniciar reinicia restablecer restablece zurücksetzen réinitialiser réinitialise reinicializar',
  restore: 'restaurar restaura wiederherstellen restaurer ripristinare',
  cancel:
    'cancelar cancela anular anula stornieren storniert absagen sagt kündigen kündigt annuler annule annullare resilier résilier',
  send: `enviar envía envia mandar manda senden sendet versenden versendet schicken schickt verschickt envoyer envoie inviare invia
    надіслати надсилає відправляє nadislaty`,
  notify: 'notificar notifica avisar avisa benachrichtigen benachrichtigt notifier notifie prévenir prévient avvisare',
  invite: 'invitar invita convidar convida einladen inviter invitare',
  answer: 'responde contestar contesta antworten antwortet beantwortet répondre répond rispondere',
  publish: 'publicar publica veröffentlichen veröffentlicht publier publie pubblicare',
  share: 'compartir comparte compartilhar teilen teilt partager partage condividere',
  call: 'llamar anrufen appeler appelle chiamare',
  pay: 'pagar paga bezahlen bezahlt zahlen zahlt payer paie pagare transferir transfere transfiere überweist überweisen cobrar переказує',
  buy: 'comprar compra kaufen kauft acheter achète comprare bestellen bestellt ',
  sell: 'vender vende verkaufen verkauft vendre vend vendere',
  start: 'iniciar starten startet démarrer démarre arrancar arranca avviare avvia',
  stop: 'detener detiene parar stoppen stoppt anhalten hält arrêter arrête arreter fermare',
  run: 'ejecutar ejecuta executar executa ausführen führt exécuter exécute lancer eseguire esegue виконати виконує запускає',
};

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
