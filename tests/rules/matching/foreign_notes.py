"""Short made-up notes in languages that no rule speaks, each with the name of a patient."""

LATIN = {
    "pl": "Pacjent Jan Kowalski, ur. 12.03.1960, zam. Warszawa ul. Długa 5. Cukrzyca typu 2, "
    "nadciśnienie tętnicze, stan po zawale serca.",
    "tr": "Hasta Mehmet Yılmaz 12.03.1960 doğumlu, göğüs ağrısı şikayeti ile acil servise "
    "başvurdu. Özgeçmişinde hipertansiyon ve diyabet mevcut.",
    "it": "Paziente Mario Rossi di 64 anni inviato dal medico curante per dispnea da sforzo. Non "
    "febbre né brividi. L'esame neurologico è nella norma.",
    "pt": "Doente João Silva de 64 anos enviado pelo médico de família por dispneia de esforço. "
    "Sem febre nem calafrios. O exame neurológico não tem alterações.",
    "sv": "Patienten Erik Johansson, 64 år, inkommer på grund av bröstsmärta sedan två dagar. "
    "Tidigare väsentligen frisk. Hjärtat regelbunden rytm, inga biljud.",
    "vi": "Bệnh nhân Nguyễn Văn An, 64 tuổi, nhập viện vì đau ngực hai ngày nay. Tiền sử tăng "
    "huyết áp, đái tháo đường type 2.",
    "ro": "Pacientul Ion Popescu, în vârstă de 64 de ani, se internează pentru dureri toracice "
    "apărute de două zile. Fără febră, abdomen suplu.",
    "cs": "Pacient Jan Novák, nar. 12.3.1960, přijat pro bolest na hrudi trvající dva dny. V "
    "anamnéze hypertenze a cukrovka.",
    "hu": "Kovács János 64 éves férfi beteg két napja fennálló mellkasi fájdalom miatt került "
    "felvételre. Anamnézisében magas vérnyomás szerepel.",
    "fi": "Potilas Matti Virtanen, 64-vuotias mies, tulee päivystykseen rintakivun vuoksi, joka "
    "alkoi kaksi päivää sitten. Taustalla verenpainetauti.",
    "da": "Patienten Lars Jensen på 64 år indlægges på grund af brystsmerter gennem to dage. "
    "Tidligere rask, tager ingen medicin dagligt.",
    "hr": "Pacijent Ivan Horvat, rođen 12.3.1960., primljen zbog boli u prsima koja traje dva "
    "dana. U anamnezi hipertenzija i šećerna bolest.",
    "ca": "Pacient Jordi Puig de 64 anys enviat pel metge de capçalera per dispnea d'esforç. La "
    "pacient va estar ingressada del 3 al 9 de març.",
}
"""In Latin letters, by language."""

OTHER_SCRIPTS = {
    "zh": "患者张伟，男，45岁，因胸痛两天入院。既往高血压病史。",
    "ja": "患者の田中一郎さんは昨日から胸の痛みを訴えて来院しました。",
    "ko": "환자 김철수 씨는 어제부터 가슴 통증을 호소하며 내원하였다.",
    "ar": "المريض محمد عبد الله يعاني من ألم في الصدر منذ يومين.",
    "fa": "بیمار رضا احمدی با درد قفسه سینه از دو روز پیش مراجعه کرد.",
    "he": "החולה דוד כהן התקבל עם כאבים בחזה מזה יומיים.",
    "ru": "Пациент Иванов Сергей, 45 лет, поступил с болями в груди.",
    "uk": "Пацієнт Шевченко Тарас надійшов зі скаргами на біль у грудях.",
    "el": "Ο ασθενής Γεώργιος Παπαδόπουλος εισήχθη με πόνο στο στήθος.",
    "hi": "मरीज राजेश कुमार दो दिनों से सीने में दर्द की शिकायत के साथ आया।",
    "th": "ผู้ป่วยสมชาย ใจดี มาด้วยอาการเจ็บหน้าอกสองวัน",
    "ka": "პაციენტი გიორგი ბერიძე შემოვიდა ტკივილით გულმკერდში.",
    "hy": "Հիվանդ Արամ Պետրոսյան ընդունվել է կրծքավանդակի ցավերով։",
}
"""In letters of other scripts, by language."""

NAMES = {
    "pl": "Kowalski", "tr": "Yılmaz", "it": "Rossi", "pt": "Silva", "sv": "Johansson",
    "vi": "Nguyễn", "ro": "Popescu", "cs": "Novák", "hu": "Kovács", "fi": "Virtanen",
    "da": "Jensen", "hr": "Horvat", "ca": "Puig", "zh": "张伟", "ja": "田中", "ko": "김철수",
    "ar": "محمد", "fa": "احمدی", "he": "כהן", "ru": "Иванов", "uk": "Шевченко",
    "el": "Παπαδόπουλος", "hi": "राजेश", "th": "สมชาย", "ka": "ბერიძე", "hy": "Պետրոսյան",
}  # fmt: skip
"""A name that stands in each."""
