"""Spanish notes by kind: titles, heads, sections and tails."""

from synthesis.fictional.templates.grammar import (
    Kind,
    Section,
)

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
    "discharge": Kind(
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
    "operation": Kind(
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
    "pathology": Kind(
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
    "imaging": Kind(
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
    "emergency": Kind(
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
    "nursing": Kind(
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
    "consultation": Kind(
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
    "board": Kind(
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
