"""Spanish."""

from locales.language import (
    AgeWords,
    DateWords,
    Language,
    NumberWords,
    OrdinalForm,
    PersonWords,
    style,
    words,
)

_UNITS = (
    "cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince"
    " dieciséis diecisiete dieciocho diecinueve veinte veintiuno veintidós veintitrés"
    " veinticuatro veinticinco veintiséis veintisiete veintiocho veintinueve"
).split()
_TENS = "veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa".split()
_HUNDREDS = (
    "cien doscientos trescientos cuatrocientos quinientos seiscientos setecientos ochocientos"
    " novecientos"
).split()


def _below_hundred(number: int) -> str:
    if number < len(_UNITS):
        return _UNITS[number]
    tens, unit = divmod(number, 10)
    return f"{_TENS[tens - 2]} y {_UNITS[unit]}" if unit else _TENS[tens - 2]


def _cardinal(number: int) -> str:
    thousands, rest = divmod(number, 1000)
    hundreds, rest = divmod(rest, 100)
    parts = []
    if thousands:
        parts.append("mil" if thousands == 1 else f"{_below_hundred(thousands)} mil")
    if hundreds:
        parts.append("ciento" if hundreds == 1 and rest else _HUNDREDS[hundreds - 1])
    if rest or not number:
        parts.append(_below_hundred(rest))
    return " ".join(parts)


def _ordinal(number: int) -> str:
    """Write a day of the month: only the first one is ranked."""
    return "primero" if number == 1 else _below_hundred(number)


LANGUAGE = Language(
    code="es",
    has_surrogates=True,
    dates=DateWords(
        months=(
            style(
                "es",
                "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre"
                " diciembre",
            ),
            style("es", "ene feb mar abr may jun jul ago sep oct nov dic", short=True),
            style("es", "ene feb mar abr may jun jul ago sept oct nov dic", short=True),
            style(
                "es",
                "enero febrero marzo abril mayo junio julio agosto setiembre octubre noviembre"
                " diciembre",
            ),
            style("es", "ene febr mzo abr may jun jul agto set oct nov dbre", short=True),
        ),
        ambiguous_months=words("mar may ago set"),
        weekdays=(
            style("es", "lunes martes miércoles jueves viernes sábado domingo"),
            style("es", "lun mar mié jue vie sáb dom", short=True),
        ),
        seasons=(style("es", "primavera verano otoño invierno"),),
        periods={"trimestre": 3, "semestre": 6},
        period_ranks=(style("es", "primer segundo tercer cuarto"),),
        connectors=words(
            "el los las del al y o e desde hasta ano anos mes dia principios finales mediados"
            " inicios hacia pasado proximo en de a la"
        ),
        range_words=words("al y o e hasta"),
        ordinal_endings=words("o a"),
        detached_endings=words("o"),
        day_words=words(
            "el del al dia dias fecha nac nacimiento lunes martes miercoles jueves viernes sabado"
            " domingo"
        ),
        month_words=words("desde hasta finales principios mediados"),
        year_words=words(
            "desde ano anos hasta hacia finales principios mediados nacido nacida durante"
            " despues antes"
        ),
        weak_year_words=words("al del y"),
        durations=words("anos meses semanas dias horas"),
    ),
    numbers=NumberWords(
        cardinal=_cardinal,
        ordinals={"es-primero": OrdinalForm(_ordinal, last=1)},
        variants={
            "un": 1, "una": 1, "veintiun": 21, "veintiuna": 21, "novecientos": 900,
        },
        ordinal_variants={"primer": 1, "primera": 1, "segundo": 2, "tercero": 3},
        hundreds=words("cien ciento"),
        thousands=words("mil"),
        links=words("y"),
    ),
    ages=AgeWords(
        years_pattern="anos?",
        units_pattern="mes(?:es)?|semanas?|dias?",
        years_span_pattern="anos?",
        units_span_pattern="dias?|mes|meses|semanas?|horas?",
        unit_after_pattern="dias|meses|semanas|horas",
        announcing=words("edad edades"),
        fillers=words("de del es paciente en anos el la sexo gestacional unos (anos)"),
        persons=words(
            "varon varones mujer mujeres hombre hombres nino nina ninos ninas paciente pacientes"
            " lactante gestante primipara nacido nacida senor senora hijo hija hijos hijas hermano"
            " hermana padre madre padres esposo esposa marido joven muchacho muchacha escolar"
            " anciano anciana neonato prematuro prematura chico chica adulto persona individuo"
            " abuelo abuela"
        ),
        before_duration=words(
            "hace hacia lleva llevaba llevan desde durante tras cada hasta ultimos ultimas primeros"
            " primeras proximos proximas despues seguimiento supervivencia duracion mas menos mayor"
            " mayores menor menores paquetes unos por x pa pack y en"
        ),
        duration_fillers=words("casi de des las los un lo que unos"),
        after_duration=words(
            "antes despues atras previos consecutivos tras mas/tarde de/evolucion de/seguimiento"
            " de/duracion de/antiguedad de/tratamiento de/historia de/estancia de/matrimonio"
            " de/tiempo de/la de/su de/haber de/experiencia de/ingreso de/diagnostico de/alta"
            " del/diagnostico del/ingreso del/alta del/inicio del/tratamiento del/trasplante y/mas"
        ),
        of_age=words("de/edad de/vida"),
        decades={
            **dict.fromkeys("quinquagenario quinquagenaria".split(), 59),
            **dict.fromkeys("sexagenario sexagenaria".split(), 69),
            **dict.fromkeys("septuagenario septuagenaria".split(), 79),
            **dict.fromkeys("octogenario octogenaria".split(), 89),
            **dict.fromkeys("nonagenario nonagenaria centenario centenaria".split(), 150),
        },
    ),
    persons=PersonWords(
        female_titles=words("sra srta dona senora"),
        male_titles=words("sr don senor d"),
        doctor_titles=words("dr dra doctor doctora prof"),
        other_titles=words("dras dres doctores professora sras sres srs"),
        cased_titles=words("dona senora sr don senor d"),
        staff=words(
            "dr dra dres doctor doctora doctores prof profesor profesora enfermero enfermera due"
            " mir medico medica"
        ),
        kin=words(
            "esposo esposa marido mujer pareja padre madre hijo hija hermano hermana tio tia"
            " sobrino sobrina primo prima abuelo abuela nieto nieta yerno nuera cuidador cuidadora"
            " vecino vecina amigo amiga novio novia"
        ),
        particles=words("de del la las los el y e"),
        women=words(
            "esposa mujer madre mama hija hermana tia sobrina prima abuela nieta nuera"
            " suegra cunada cuidadora vecina amiga novia viuda enfermera tutora senora"
            " llamada apodada conocida hijastra madrina"
        ),
        men=words(
            "esposo marido padre papa hijo hermano tio sobrino primo abuelo nieto yerno"
            " suegro cunado cuidador vecino amigo novio viudo enfermero tutor senor"
            " llamado apodado conocido hijastro padrino"
        ),
        beside_kin=words(
            "mayor menor pequeno pequena como difunto difunta"
        ),
    ),
)  # fmt: skip
