/**
 * Verbs of tools in Spanish, Portuguese, French, Italian, German and Ukrainian, by the English verb that they mean: as they stand in
 * names (infinitive) and at the beginning of descriptions (third person). A form that is also a common English word is not here
 * ("active", "note"), and neither is one that is mostly a noun.
 */
export const FOREIGN_VERBS: Readonly<Record<string, string>> = {
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
