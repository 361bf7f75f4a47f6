"""Spanish notes: letterheads, identity blocks, sentences for any patient, lists, traps."""

from synthesis.fictional.templates.es_stories import STORIES
from synthesis.fictional.templates.grammar import LetterLanguage, NoteKind, Section

_SIGN_OFF = (
    "{author}\nServicio de {specialty}\nNº de colegiado: {rpps}",
    "Informe firmado electrónicamente por {author} el {today} a las {time}.\nCopia: {gp}",
    "{author_caps}\nSecretaría: {site_phone}\n{author_email}",
    "Fdo.: {signature}\n\n{site} - {site_address}\nPágina 1/2",
    "Firmado por {author} el {today}. Transcrito por {username} - versión 2.1.3",
)
_LETTER_END = (
    "[Un cordial saludo|Reciba un cordial saludo|Atentamente],\n\n{author}\n[NºCol: {rpps}|"
    "{author_email}|Tfno. {site_phone}]",
    "Quedo a su disposición para cualquier aclaración.\n\n{author_caps}\nCopia para {gp}, {doctor}",
    "Puede contactar en el {site_phone}.\n\n{author} / {doctor}\nDictado el {today} y mecanografiado "
    "por {username}",
)

KINDS = {
    "discharge": NoteKind(
        titles=(
            "Informe de alta",
            "INFORME DE ALTA HOSPITALARIA",
            "Informe de ingreso del {admission}",
        ),
        heads=(
            "{letterhead}{title}\n\n{identity}\n\nFecha de ingreso: {admission}\nFecha de alta: "
            "{discharge}\nMédico responsable: {author}\nMédico de cabecera: {gp}{gp_city}",
            "{letterhead}{city_of_site}, {today}\n\n{title}\n{identity}\n\nEstimado compañero:\n"
            "{civil} {last}, de {age}, ha permanecido ingresad{o|a} en [nuestro servicio|{ward}] "
            "{stay}.",
            "{title}\n{identity}\nRemitid{o|a} por: {gp} ({gp_phone})\nResidente: {third}",
        ),
        sections=(
            Section("Motivo de ingreso", "reason", 0.5),
            Section("Antecedentes personales", "history", 1.3, "list"),
            Section("Situación social", "social", 0.8),
            Section("Tratamiento habitual", "treatment", 0.9, "list", 0.8),
            Section("Enfermedad actual", "account", 1.2),
            Section("Exploración física", "exam", 1.2),
            Section("Analítica", "labs", 1.0, "prose", 0.9),
            Section("Pruebas de imagen", "imaging", 0.9, "prose", 0.8),
            Section("Evolución", "course", 1.6),
            Section("Recomendaciones al alta", "outcome", 1.0),
        ),
        tails=_SIGN_OFF + _LETTER_END[:1],
    ),
    "operation": NoteKind(
        titles=("Hoja operatoria", "INFORME QUIRÚRGICO"),
        heads=(
            "{letterhead}{title}\n\n{identity}\n\nFecha de intervención: {day}\nCirujano: {author}\n"
            "Ayudante: {third}\nAnestesista: {doctor}\nInstrumentista: {nurse}",
            "{title} - {site}\n{identity}\nIntervención del {day}, cirujano {author}, anestesia "
            "{doctor}, entrada en quirófano a las {time}",
        ),
        sections=(
            Section("Indicación", "reason", 0.6),
            Section("Antecedentes de interés", "history", 0.6, "list", 0.5),
            Section("Anestesia y posición", "anaesthesia", 0.8),
            Section("Técnica", "operation", 2.4),
            Section("Órdenes postoperatorias", "after_operation", 1.2, "list"),
        ),
        tails=_SIGN_OFF,
        specialty="surgery",
    ),
    "pathology": NoteKind(
        titles=("Informe de anatomía patológica", "Estudio anatomopatológico nº {exam}"),
        heads=(
            "{letterhead}{title}\n{identity}\n\nMuestra nº {exam} recibida el {day}, remitida por "
            "{doctor}, {site}.\nFecha de informe: {today}",
            "{title}\nNº de estudio: {exam}\n{identity}\nPeticionario: {doctor}\nFecha de toma: {day}"
            " - Fecha de informe: {today}",
        ),
        sections=(
            Section("Datos clínicos", "reason", 0.7),
            Section("Descripción macroscópica", "macroscopy", 1.2),
            Section("Descripción microscópica", "microscopy", 1.8),
            Section("Técnicas especiales", "stains", 0.9, "list", 0.8),
            Section("Diagnóstico", "diagnosis", 0.9),
        ),
        tails=(
            *_SIGN_OFF,
            "{author} - {doctor}\nRevisado el {today}. Bloque archivado con nº {exam}",
        ),
        specialty="pathology",
    ),
    "imaging": NoteKind(
        titles=("Informe de radiología", "Informe de TC", "Estudio de imagen del {day}"),
        heads=(
            "{letterhead}{title}\n\n{identity}\nEstudio nº {exam} realizado el {day} a las {time}\n"
            "Solicitado por: {doctor}\nRadiólogo: {author}",
            "{title}\n{civil} {patient}, F. nac. {birth}\nNHC {ipp}\nMédico peticionario: {doctor}, "
            "{ward}\nFecha del estudio: {day}",
        ),
        sections=(
            Section("Indicación", "reason", 0.7),
            Section("Técnica", "technique", 0.9),
            Section("Hallazgos", "imaging", 2.2, "lines"),
            Section("Conclusión", "impression", 0.9),
        ),
        tails=_SIGN_OFF,
        specialty="radiology",
    ),
    "emergency": NoteKind(
        titles=("Informe de urgencias", "INFORME CLÍNICO DE URGENCIAS"),
        heads=(
            "{letterhead}{title}\n{identity}\nLlegada el {day} a las {time} en [ambulancia|medios "
            "propios|UVI móvil]\nTriaje: {nurse} - Médico: {author}\nPersona de contacto: {kin}, "
            "tfno. {kinphone}",
            "{title} - {site}\n{identity}\n{civil} {last} acude el {weekday} a las {time}, "
            "acompañad{o|a} de {kin} ({kinphone}).",
        ),
        sections=(
            Section("Motivo de consulta", "reason", 0.6),
            Section("Antecedentes", "history", 1.0, "list"),
            Section("Tratamiento domiciliario", "treatment", 0.8, "list", 0.7),
            Section("Enfermedad actual", "account", 1.1),
            Section("Exploración", "exam", 1.3),
            Section("Pruebas complementarias", "labs", 1.1),
            Section("Imagen", "imaging", 0.8, "prose", 0.6),
            Section("Plan", "conduct", 1.0, "list"),
        ),
        tails=_SIGN_OFF,
        specialty="emergency",
    ),
    "nursing": NoteKind(
        titles=("Evolutivo de enfermería", "Relevo de enfermería"),
        heads=(
            "{title} - {ward}\n{LAST}, {first} - {birth} - Habitación [12|14|203|307|411] cama [1|2]\n"
            "NHC {ipp} / episodio {visit}\nFamiliar de referencia: {kin} {kinphone}",
            "{title}\n{identity}\nUnidad: {ward} - Ingreso {admission}\nEnfermera: {nurse}",
        ),
        sections=(
            Section("Constantes", "vitals", 1.0),
            Section("Contexto", "reason", 0.5, "prose", 0.7),
            Section("Autonomía y entorno", "social", 0.8, "prose", 0.7),
            Section("Evolutivo", "transmissions", 3.0, "lines"),
            Section("Medicación actual", "treatment", 0.6, "list", 0.6),
        ),
        tails=(
            "DUE {nurse} - {today} {time}",
            "Relevo a {nurse} el {today}. Avisado {doctor}.",
            "{nurse}, turno de noche\nControl {site_phone}",
        ),
        specialty="nursing",
    ),
    "consultation": NoteKind(
        titles=("Carta de consulta", "Consulta del {today}", "Informe de consultas externas"),
        heads=(
            "{letterhead}{city_of_site}, {today}\n\n{gp}\n{gp_address}\n\nAsunto: {civil} {patient}, "
            "F. nac. {birth}\n{street}, {zip} {city}\n\nEstimado compañero:\n\nHe visto hoy en "
            "consulta a [su paciente|{civil} {last}], de {age}.",
            "{letterhead}{title}\n{identity}\n\nEstimado compañero:\n\nGracias por remitirme a {civil} "
            "{last}, de {age}, a quien he [visto|explorado] el {today}.",
            "{title}\n{author_caps}\n{gp}\n\nQuerido amigo:\nAcude hoy {civil} {first} {last} (F. nac. "
            "{birth}, NHC {ipp}), [con {kin}|sin acompañante].",
        ),
        sections=(
            Section("", "reason", 0.6),
            Section("Antecedentes", "history", 0.9, "list", 0.6),
            Section("", "account", 0.9, "prose", 0.6),
            Section("Desde la última visita", "followup", 1.0),
            Section("Situación social", "social", 0.7, "prose", 0.6),
            Section("Exploración", "exam", 1.2),
            Section("Pruebas", "labs", 0.9, "prose", 0.8),
            Section("", "imaging", 0.7, "prose", 0.5),
            Section("Juicio y plan", "opinion", 1.3),
        ),
        tails=_LETTER_END,
    ),
    "board": NoteKind(
        titles=("Comité de tumores", "Comité multidisciplinar", "Comité de tumores del {today}"),
        heads=(
            "{letterhead}{title}\nFecha: {today}\nCoordina: {author}\nAsisten: {doctor}, {doctor}, "
            "{doctor}, {third_initial}\n\n{identity}\nMédico de cabecera: {gp}",
            "{title} - {site}\nCaso presentado por {doctor}\n{identity}\nAsistentes: {author}, "
            "{doctor}, {doctor}/{third_initial}",
        ),
        sections=(
            Section("Antecedentes", "history", 1.0, "list"),
            Section("Resumen", "account", 1.4),
            Section("Imagen", "imaging", 1.0),
            Section("Anatomía patológica", "diagnosis", 0.7),
            Section("Estado general", "exam", 0.7, "prose", 0.8),
            Section("Pregunta", "question", 0.4),
            Section("Decisión", "decision", 1.3, "list"),
        ),
        tails=(
            "Decisión del {today}, validada por {author}. {doctor} informará {al|a la} paciente.",
            *_SIGN_OFF[1:],
        ),
        specialty="oncology",
    ),
}

# What lengthens a note: earlier records where nothing happens on the ward, else the ward's diary.
_EARLIER = (Section("Registros previos", "previous", 1.0, "lines"),)
_DIARY = (
    Section("Gráfica", "vitals", 1.0, "lines"),
    Section("Evolución posterior", "course", 2.0),
    Section("Registro de enfermería", "transmissions", 1.5, "lines"),
)
ANNEXES = {
    "discharge": _DIARY,
    "nursing": _DIARY,
    "operation": _EARLIER,
    "pathology": _EARLIER,
    "imaging": _EARLIER,
    "emergency": _EARLIER,
    "consultation": _EARLIER,
    "board": _EARLIER,
}


WORDS = {
    "letterhead": (
        "{site_caps}\n{site_address}\nTfno.: {site_phone} - Fax: {site_fax}\n\n",
        "{site}\nServicio de {specialty}\nJefe de servicio: {chief}\nSecretaría {site_phone}\n{url}\n\n",
        "", "",
        "{site}\n{site_address}\n{chief} - {doctor} - {doctor}\n{site_url_mail}\n\n",
    ),
    "identity": (
        "Paciente: {LAST}, {first}\nF. nacimiento: {birth}[   Lugar: {birthplace}|]\nNHC: {ipp}   "
        "Episodio: {visit}\nDomicilio: {street}\n{zip} {city_caps}[ ({region})|]",
        "Apellidos: {last}   Nombre: {given}\nFecha de nacimiento: {birth} ({age})   Sexo: {H|M}\n"
        "NHC: {ipp} - Nº episodio: {visit}\nDNI: {ssn}\nTeléfono: {phone}",
        "{civil} {patient}, F. nac. {birth}\nNHC {ipp} / episodio {visit}",
        "{LAST}, {first} | {H|M} | {birth} | {ipp} | {visit}",
        "Datos del paciente.\nNombre: {given}\nApellidos: {last}\nNHC: {ipp}\nNASS: {insurance}\n"
        "DNI/NIE: {ssn}\nDomicilio: {street}\nLocalidad: {city}   CP: {zip}\nPaís: {country}\n"
        "Fecha de nacimiento: {birth}\nTeléfono: {phone}[ - {email}|]",
    ),
    "stay": ("{range}", "{range}", "desde el {admission}", "del {admission} al {discharge}"),
    "drug": (
        "amlodipino 5 mg, 1-0-0", "bisoprolol 2,5 mg por la mañana", "enalapril 10 mg cada 24 h",
        "atorvastatina 20 mg en la cena", "omeprazol 20 mg en ayunas", "furosemida 40 mg, 1-0-0",
        "levotiroxina 75 µg en ayunas", "paracetamol 1 g cada 8 h", "tramadol 50 mg si dolor",
        "Adiro 100 mg en la comida", "metformina 850 mg, 1-0-1", "Clexane 40 mg cada 24 h",
        "sertralina 50 mg, 1-0-0", "lorazepam 1 mg, 1/2 comprimido al acostarse",
        "Nolotil 575 mg si fiebre", "macrogol 1 sobre al día",
    ),
    "specialty.surgery": ("Cirugía General",),
    "specialty.oncology": ("Oncología Médica",),
    "specialty.geriatrics": ("Geriatría",),
    "specialty.cardiology": ("Cardiología",),
    "specialty.pneumology": ("Neumología",),
    "specialty.gastroenterology": ("Aparato Digestivo",),
    "specialty.paediatrics": ("Pediatría",),
    "specialty.radiology": ("Radiodiagnóstico",),
    "specialty.pathology": ("Anatomía Patológica",),
    "specialty.emergency": ("Urgencias",),
    "specialty.nursing": ("Enfermería",),
    "specialty.gp": ("Medicina de Familia",),
    "title.M": ("Dr.", "Dr.", "Dr", "Prof."),
    "title.F": ("Dra.", "Dra.", "Dra", "Prof."),
    "title.nursing.M": ("D.", "DUE"),
    "title.nursing.F": ("Dña.", "DUE"),
    "civil.M": ("D.", "Don", "Sr.", "D."),
    "civil.F": ("Dña.", "Doña", "Sra.", "Dña."),
    "civil.child": ("{el niño|la niña}",),
    "kin.wife": ("su esposa", "su mujer"),
    "kin.husband": ("su marido", "su esposo"),
    "kin.daughter": ("su hija",),
    "kin.son": ("su hijo",),
    "kin.sister": ("su hermana",),
    "kin.brother": ("su hermano",),
    "kin.mother": ("su madre",),
    "kin.father": ("su padre",),
    "maiden": (", de soltera ",),
    "range": ("del /al ",),
    "on": ("el ",),
    "in": (" en ",),
    "age": ("{} años", "{} años", "{} años de edad"),
    "months": ("{} meses",),
    "job": (
        "carpintero/carpintera", "contable", "maestro/maestra", "agricultor/agricultora", "taxista",
        "enfermero/enfermera", "albañil/modista", "administrativo/administrativa", "electricista",
        "cocinero/cocinera", "ingeniero/ingeniera", "limpiador/limpiadora", "cartero/cartera",
        "bibliotecario/bibliotecaria", "soldador/peluquera", "dependiente/dependienta", "minero/costurera",
    ),
}  # fmt: skip

POOLS = {
    "history": (
        "Hipertensión arterial desde {year:20}, [buen control|mal control].",
        "Apendicectomía en {year:45}[ en {othercity}| en {otherhospital}|].",
        "Enfermedad de Graves-Basedow tratada con yodo radiactivo en {month:200}.",
        "Enfermedad de Dupuytren intervenida en {year:15} por {doctor}.",
        "Diabetes mellitus tipo 2 desde {month:150}, HbA1c {d:6.1-8.4} %.",
        "Fenómeno de Raynaud leve.", "Dislipemia en tratamiento desde {year:12}.",
        "Fractura de Colles izquierda el {past:4000}, tratamiento ortopédico.",
        "Alergias: [penicilina (urticaria en {year:30})|no conocidas|contraste yodado, no documentada].",
        "Padre fallecido de infarto a los {kinage}, madre con enfermedad de Parkinson.",
        "Exfumador desde {year:18}, {n:10-45} paquetes-año.",
        "Herpes zóster en {month:90}, cicatriz rosada.",
        "Colecistectomía laparoscópica el {past:3500} ({otherhospital}).",
        "Ingreso {range:900} en {otherhospital} por pielonefritis.",
        "Vacuna antigripal el {past:300}, administrada por {gp}.",
        "Dermatitis de contacto, usa jabón de Marsella y corticoide tópico.",
        "Síndrome de Gilbert, bilirrubina habitual {d:1.6-2.9} mg/dL.",
        "Sospecha de síndrome de Sjögren, test de Schirmer positivo.",
    ),
    "history_young": (
        "Apendicectomía en {year:10}[ en {othercity}| en {otherhospital}|].",
        "Alergias: [penicilina (urticaria en {year:9})|no conocidas|contraste yodado, no documentada].",
        "Ingreso {range:900} en {otherhospital} por pielonefritis.",
        "Fenómeno de Raynaud leve.", "Asma infantil, sin crisis desde {year:8}.",
        "Dermatitis de contacto, usa jabón de Marsella y corticoide tópico.",
        "Síndrome de Gilbert, bilirrubina habitual {d:1.6-2.9} mg/dL.",
        "Fractura de muñeca el {past:3000}, tratamiento ortopédico.",
    ),
    "treatment_young": ("paracetamol 1 g si dolor", "{drug} (desde {month:40})"),
    "history_child": (
        "Nacid{o|a} a término en {birthplace}, peso al nacer {n:2700-3900} g, Apgar 9/10.",
        "Bronquiolitis el {past:900}, sin ingreso.",
        "Calendario vacunal al día, última dosis el {past:300}.",
        "Otitis de repetición, drenajes colocados el {past:500} por {doctor}.",
        "Dermatitis atópica, sin alergia alimentaria.", "Hermano con púrpura de Schönlein-Henoch.",
        "Exantema súbito a los {n:8-14} meses, sin convulsión.",
    ),
    "social": (
        "Vive [sol{o|a}|con {kin}] en {city}, [segundo piso sin ascensor|casa de una planta].",
        "Trabaja como {job}[ en {employer}|].",
        "{kin_caps} está localizable en el {kinphone}.", "Independiente para ABVD, Barthel 100.",
        "Tabaco: [nunca|exfumador{|a}]. Alcohol: [ocasional|un vaso en las comidas|no].",
        "Domicilio en {street}, {zip} {city}[, comprobado con el paciente|].",
        "Natural de {birthplace}, reside en {region} desde {year:25}.",
        "Aficiones: jardinería (poda sus rosales) y mus los jueves.",
        "Estancia reciente en {othercity} con {kin}.", "Viaje reciente al extranjero en {month:20}.",
        "Caso abierto por la trabajadora social, Dña. {third_last} ({site_phone}).",
        "Solicitada ayuda económica, cuenta {account}.",
    ),
    "social_old": (
        "Vive [sol{o|a}|con {kin}] en {city}, [segundo piso sin ascensor|casa de una planta].",
        "{Jubilado|Jubilada}, antes {job}.", "{Jubilado|Jubilada} ({job} en {employer}).",
        "{kin_caps} está localizable en el {kinphone}.", "Barthel {n:12-19} sobre 20, Lawton 4/8.",
        "Tabaco: [nunca|exfumador{|a}]. Alcohol: [ocasional|un vaso en las comidas|no].",
        "Domicilio en {street}, {zip} {city}[, confirmado por la familia|].",
        "Natural de {birthplace}, reside en {region} desde {year:25}.",
        "Ayuda a domicilio por las mañanas, teleasistencia.", "Aficiones: jardinería y mus.",
        "Caso abierto por la trabajadora social, Dña. {third_last} ({site_phone}).",
    ),
    "social_child": (
        "Escolarizad{o|a} en {city}, vive con sus padres y un hermano pequeño.",
        "Acude con {kin}, móvil {kinphone}.", "Vive en {street}, {zip} {city}, un gato en casa.",
        "Al cuidado de Dña. {third_last} por las tardes.", "Pediatra de cabecera: {gp}.",
    ),
    "treatment": (
        "{drug}", "{drug}", "{drug}", "{drug} (desde {month:40})", "{drug}",
        "{drug} (iniciado el {recent:200} por {gp})",
    ),
    "treatment_child": (
        "paracetamol 15 mg/kg cada 6 h si fiebre", "Ventolin 2 inhalaciones si precisa",
        "vitamina D {n:400-800} UI/día", "amoxicilina 80 mg/kg/día hasta el {next:8}",
    ),
    "exam": (
        "TA {n:108-162}/{n:58-92}, FC {n:58-112} lpm, SatO2 {n:91-99} % basal, T {d:36.4-38.9} °C.",
        "Peso {weight} kg, talla {height} cm, IMC {bmi}.",
        "Auscultación cardiaca rítmica, sin soplos, signo de Homans negativo.",
        "Murmullo vesicular conservado, [sin ruidos añadidos|crepitantes bibasales aislados].",
        "Abdomen blando, Murphy negativo, McBurney [negativo|dudoso].",
        "Glasgow 15, sin focalidad, signo de Babinski ausente, Romberg negativo.",
        "Sin adenopatías, sin ganglio de Virchow.", "Piel [rosada|pálida], sin púrpura.",
        "EVA {n:1-8}/10, Karnofsky [70|80|90|100] %, ECOG 1.",
        "Ausencia de piezas 14 15 24 25 36 46, prótesis removible.",
        "Maniobra de Lasègue negativa bilateral, reflejos presentes.",
    ),
    "exam_child": (
        "Peso {weight} kg, T {d:36.6-39.4} °C, FC {n:88-140}, FR {n:20-36}, SatO2 {n:91-99} %.",
        "Activ{o|a}, juega en la sala de espera, buena coloración.",
        "Tímpanos [normales|hiperémicos], sin rigidez, Brudzinski negativo.",
        "Abdomen blando, orificios herniarios libres.", "Curva pondoestatural en percentil 50.",
    ),
    "labs": (
        "Hemoglobina {d:9.1-15.4} g/dL, leucocitos {d:4.1-14.9}, plaquetas {n:150-410}.",
        "Hb de control 12.03 g/dL (12-16), VCM {n:82-98} fL.",
        "PCR {n:2-148} mg/L, procalcitonina {d:0.1-3.9} ng/mL.",
        "Creatinina {d:0.6-1.6} mg/dL, Cockcroft {n:38-105} mL/min.",
        "Na {n:132-144}, K {d:3.2-5.1}, Cl {n:96-108} mmol/L.",
        "GOT {n:14-62}, GPT {n:12-71}, GGT {n:18-160} U/L.",
        "Glucemias capilares: 105 - 112 - 98 - 120 mg/dL.", "INR {d:1.0-2.8}, factor de von Willebrand "
        "normal.",
        "Analítica del {recent:20}: ferritina {n:18-480} ng/mL, TSH {d:0.5-4.2} mUI/L.",
        "Hemocultivos extraídos el {recent:6} a las {time}, estériles a las 48 h.",
        "Urocultivo del {recent:9}: [estéril|E. coli 10^5 UFC].",
        "Gasometría: pH 7.41, pCO2 {n:35-48} mmHg, lactato {d:0.8-2.9} mmol/L.",
    ),
    "labs_child": (
        "Test rápido de gripe y estreptococo negativo el {recent:3}.", "Glucemia {n:72-118} mg/dL.",
        "Sistemático de orina del {recent:4} normal.",
    ),
    "followup": (
        "Desde la visita del {past:200} se encuentra estable y duerme bien.",
        "{kin_caps} ayuda con la medicación y no refiere caídas.",
        "Fue vist{o|a} el {past:90} por {doctor}, sin cambios de tratamiento.",
        "Apetito conservado, peso {weight} kg, sin nuevas molestias.",
        "Fisioterapia dos veces por semana en {city} desde {month:6}.",
    ),
    "course": (
        "El {step} [permanece afebril|dolor controlado|buena tolerancia oral], inicia deambulación.",
        "Valorad{o|a} por {doctor} el {step}, [sin complicaciones|mantiene tratamiento].",
        "Inicia rehabilitación el {step}, andador al alta.",
        "Analítica del {step}: PCR {n:4-60} mg/L, creatinina {d:0.6-1.5} mg/dL.",
        "Entrevista con {kin} el {step} ({kinphone}).",
        "El {step} presenta episodio de [dolor|náuseas|confusión], resuelto.",
        "Profilaxis con Clexane 40 mg hasta el {step}.", "Sin úlceras por presión, Braden {n:15-22}.",
        "Trasladad{o|a} desde {ward} el {step} a petición de {doctor}.",
        "Valoración por Nutrición: dieta pobre en residuos, pequeño desayuno tolerado.",
        "Caída sin consecuencias el {step} sobre las {time}, notificada.",
    ),
    "outcome": (
        "Alta a domicilio el {discharge}, {street} de {city}, [en ambulancia|con {kin}].",
        "Revisión con {doctor} el {next:60} a las {time}.",
        "Análisis de control la semana del {next:14}.",
        "Baja laboral hasta el {next:30}, prorrogable por {gp}.",
        "Si fiebre o dolor, llamar al {site_phone} (24 h).", "Seguimiento por {gp}{gp_city}.",
        "Cita enviada a {email} o por teléfono al {phone}.",
        "Avisada la enfermera de enlace de {othercity}, {other_phone}.",
        "Aceptad{o|a} en {otherhospital} para rehabilitación el {next:12}.",
        "Solicitado transporte, NASS {insurance}.",
    ),
    "outcome_child": (
        "Alta a domicilio el {discharge} con {kin}, {street} de {city}.",
        "Revisión con {doctor} el {next:40} a las {time}.", "Si fiebre, llamar al {site_phone} (24 h).",
        "Justificante escolar hasta el {next:7}.", "Padres localizables en {phone}, informe a {email}.",
    ),
    "anaesthesia": (
        "Anestesia general, intubación [fácil|difícil], Mallampati {n:1-3}, ASA {n:1-3}.",
        "Decúbito supino, puntos de apoyo protegidos.",
        "Cefazolina 2 g [a las {time}|30 minutos antes de la incisión].",
        "Lista de verificación: identidad, lado y alergias correctos.",
        "Bloqueo ecoguiado por {doctor}, ropivacaína 0,375 %.",
        "Sonda de Foley 16 Ch, Trendelenburg 15 grados.",
    ),
    "operation": (
        "Pinzas de Kocher y Kelly en los pedículos, tijeras de Metzenbaum.",
        "Hemostasia cuidadosa, sangrado estimado {n:50-450} mL.","Drenaje de Redon.",
        "Recuento de gasas correcto (20/20).", "Cierre por planos, Vicryl 3/0, grapas en piel.",
        "Duración {n:45-190} minutos, salida a las {time}.",
    ),
    "after_operation": (
        "Reanimación, Aldrete 10/10", "Sedestación el primer día, fisioterapia",
        "Retirada de grapas el {next:16}", "Clexane 40 mg cada 24 h hasta el {next:30}",
        "Analgesia pautada, tramadol de rescate", "Revisión con {surgeon} el {next:45}",
        "Informada la familia: {kin} ({kinphone})", "Resultado de la biopsia en el {site_phone}",
    ),
    "macroscopy": (
        "Se recibe en formol, se entinta y se incluye en su totalidad.",
        "Bloques A1 a A{n:3-9} y B1 a B{n:2-6}.",
        "Fragmento de {n:4-28} x {n:3-19} x {n:2-9} mm, rosa pálido.",
        "Frasco rotulado {LAST}, {first}, conforme con la petición.",
    ),
    "microscopy": (
        "Sin invasión vascular ni perineural.", "Hematoxilina-eosina, 3 niveles.",
        "El tejido adyacente muestra infiltrado linfoplasmocitario leve.",
        "Índice mitótico {n:1-14} por 10 campos.", "Márgenes libres, mínimo {n:2-18} mm.",
    ),
    "stains": (
        "Giemsa: sin Helicobacter", "Ki-67: {n:5-80} %", "Perls: negativo", "PAS: positivo",
        "Rojo Congo: negativo", "Ziehl-Neelsen: sin BAAR", "Gram: sin gérmenes",
        "Intraoperatoria del {day}, comunicada a {doctor} a las {time}",
    ),
    "diagnosis": (
        "Sin malignidad en el resto de las muestras.",
        "Segunda opinión de {doctor} ({otherhospital}) pendiente, prevista el {next:20}.",
        "Comparado con el estudio {exam:old} del {past:900}.",
    ),
    "technique": (
        "Adquisición helicoidal tras {n:70-120} mL de Iomeron 350.",
        "Reconstrucciones multiplanares, ventana ósea y de partes blandas.",
        "DLP {n:210-880} mGy.cm; se compara con el estudio del {past:800}.",
        "Sin reacción al contraste.", "Secuencias T1, T2 y difusión, equipo 1.5 T, versión 4.2.1.",
    ),
    "imaging": (
        "Sin derrame pleural ni pericárdico.", "Sin lesiones óseas sospechosas.",
        "Quiste renal simple de {n:8-35} mm, Bosniak 1.", "Ateromatosis calcificada, aorta normal.",
        "Sin cambios respecto al {past:700}.", "Nódulo tiroideo de {n:5-18} mm, TI-RADS 3.",
        "Hernia de Spiegel pequeña.", "Hígado homogéneo, conducto de Wirsung fino.",
    ),
    "impression": (
        "Correlacionar con la clínica.", "Se sugiere control en {nextmonth:9}.",
        "Hallazgos comunicados a {doctor} el {day} a las {time}.",
    ),
    "conduct": (
        "Ingreso en {ward} a cargo de {doctor}", "Paracetamol 1 g, reevaluar a las {time}",
        "Vía periférica, analítica", "Comentado con {doctor} a las {time}",
        "Aviso telefónico a {kin}, {kinphone}", "Monitorización, NEWS {n:1-7}",
        "Informe para {gp}, control el {next:5}",
    ),
    "vitals": (
        "{step} {time}: TA {n:102-160}/{n:58-90}, FC {n:58-104}, T {d:36.2-38.6}, SatO2 {n:92-99} %.",
        "{step} {time}: diuresis {n:400-1900} mL, EVA {n:0-7}/10, glucemia {n:80-220}.",
        "Peso del {step}: {weight} kg.", "Braden {n:14-22}, Norton {n:12-19}, MNA 24/30.",
    ),
    "vitals_child": (
        "{step} {time}: FC {n:88-132}, T {d:36.4-39.1}, SatO2 {n:92-99} %, FR {n:20-34}.",
        "Peso del {step}: {weight} kg. FLACC {n:0-6}/10.",
    ),
    "transmissions": (
        "{step} {time}: [descansa bien|noche tranquila|noche inquieta], [desayuna|rechaza la bandeja]."
        " DUE {nurse}",
        "{step}: cura realizada, herida limpia y seca. {nurse}",
        "{step} {time}: llama {kin}, devolver llamada al {kinphone} tras la visita.",
        "{step}: dolor {n:2-8}/10, Nolotil 575 mg a las {time} con alivio.",
        "{step}: vist{o|a} por {doctor}, nueva pauta ({drug}).",
        "{step} {time}: vía en brazo izquierdo algo rosada, se cambia.",
        "{step}: se levanta al sillón, camina {n:20-80} m con fisioterapia.",
        "{step}: {doctor} informa a la familia; {kin} pide hablar con la trabajadora social.",
        "{step} {time}: deposición una vez, se retira sonda de Foley.",
        "{step}: pulsera comprobada ({LAST}, {first}, {birth}), etiqueta {ipp}.",
    ),
    "opinion": (
        "Volveré a ver{lo|la} el {next:120}.", "Aconsejo continuar con {drug}.",
        "Próximo análisis hacia el {next:30} en el centro de {city}.",
        "A petición propia se envía copia al servicio médico de {employer}.",
        "Para consultas, {site_phone} o {author_email}.", "Evolución favorable, sin cambios.",
        "Cita con {doctor} el {next:50}.",
        "Se revisa la TC hecha en {otherhospital} el {past:400}.",
    ),
    "previous": (
        "{earlier}: estudio {exam:old}, {otherhospital}, sin hallazgos sospechosos.",
        "{earlier}: consulta con {doctor}, [estable|sin cambios|continúa revisiones].",
        "{earlier}: visita a urgencias por [dolor|mareo], alta a domicilio.",
        "{earlier}: carta de {gp}{gp_city}, solicita valoración.",
        "{earlier}: Hb {d:10.2-14.8} g/dL, creatinina {d:0.6-1.4} mg/dL, laboratorio de {city}.",
        "{earlier}: ingreso en {otherhospital}, alta con {kin}.",
    ),
    "question": ("¿Tratamiento adyuvante?", "¿Reintervención o vigilancia?"),
    "decision": (
        "Visita con {doctor} el {next:14}", "Valorar ensayo clínico",
        "Consulta de enfermería el {next:10} con {nurse}", "Completar estudio de extensión",
        "Nueva presentación el {next:90}", "Informe para {gp}",
    ),
}  # fmt: skip

TRAPS = (
    "Enfermedad de Graves-Basedow", "Enfermedad de Dupuytren", "Fenómeno de Raynaud",
    "jabón de Marsella", "enfermedad de Parkinson", "signo de Babinski", "Murphy negativo", "12.03 g/dL",
    "rosa pálido", "Sonda de Foley", "pequeño desayuno", "Página 1/2", "versión 2.1.3", "pH 7.41",
    "105 - 112 - 98 - 120", "14 15 24 25 36 46", "Pinzas de Kocher", "Síndrome de Gilbert",
    "Drenaje de Redon", "test de Schirmer", "enfermedad de Crohn", "cuerpos de Lewy",
    "linfoma de Hodgkin", "Reed-Sternberg", "articulación de Charcot", "ángulo de Louis",
    "1/2 comprimido", "von Willebrand", "L3B2 de Montreal",
)  # fmt: skip

LANGUAGE = LetterLanguage("es", KINDS, POOLS, WORDS, STORIES, ANNEXES, TRAPS)
